/** The dialog for a pasted table. Whatever is wrong with it becomes a message; points change only when all is well. */
import { byId, fillSelect } from '../dom.js';
import { plural } from '../numbers.js';
import { MOST_CHARACTERS, readTable, rolesOf, sceneOf, seemsHeader, tooLong, type CsvTable } from './csv.js';
import type { Scene } from './scene.js';

const WAIT = 200;

export function startCsvDialog(onScene: (scene: Scene) => void): void {
  const dialog = byId<HTMLDialogElement>('csv');
  const text = byId<HTMLTextAreaElement>('csv-text');
  const header = byId<HTMLInputElement>('csv-header');
  const selects = (['x', 'y', 'label'] as const).map((role) => byId<HTMLSelectElement>(`csv-${role}`));
  const use = byId<HTMLButtonElement>('csv-use');
  const message = byId('csv-message');
  let table: CsvTable | undefined;
  let scene: Scene | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = 0;

  const say = (words: string, isError = false) => {
    message.textContent = words;
    message.classList.toggle('error', isError);
    use.disabled = !scene;
    byId('csv-roles').hidden = !table;
  };
  /** The text is another: what was read and said of the last one, or is about to be, no longer holds. */
  const renew = () => {
    clearTimeout(timer);
    turn++;
    table = scene = undefined;
    use.disabled = true;
    message.textContent = text.value && 'Reading …';
    message.classList.remove('error');
  };
  const refuse = (error: unknown) => {
    scene = undefined;
    say(error instanceof Error ? error.message : String(error), true);
  };

  /** Points by the columns that are chosen. */
  const look = () => {
    if (!table) return; // another text is being read
    const [x, y, label] = selects.map(({ value }) => Number(value)) as [number, number, number];
    try {
      scene = sceneOf(table, { x, y, label });
      const classes = scene.names.length;
      say(`${plural(scene.spots.length, 'row')} of ${plural(classes, 'class', 'classes')}.`);
    } catch (error) {
      refuse(error);
    }
  };

  const read = async () => {
    renew();
    const mine = turn;
    if (text.value === '') return say('');
    try {
      const found = await readTable(text.value, header.checked);
      if (mine !== turn) return; // the text has changed since
      const roles = rolesOf(found);
      table = found;
      const options = found.columns.map(({ name }, j) => [String(j), name] as const);
      selects.forEach((select, k) => {
        fillSelect(select, options);
        select.value = String([roles.x, roles.y, roles.label][k]);
      });
      look();
    } catch (error) {
      if (mine === turn) refuse(error);
    }
  };

  text.addEventListener('paste', (event) => {
    const pasted = event.clipboardData?.getData('text/plain') ?? '';
    if (pasted.length <= MOST_CHARACTERS) return;
    event.preventDefault(); // a text field would take minutes to show so many lines
    renew();
    refuse(tooLong(pasted));
  });
  text.addEventListener('input', () => {
    renew();
    timer = setTimeout(() => {
      header.checked = seemsHeader(text.value);
      void read();
    }, WAIT);
  });
  header.addEventListener('change', () => void read());
  for (const select of selects) select.addEventListener('change', look);
  use.addEventListener('click', () => {
    if (!scene) return;
    onScene(scene);
    dialog.close();
  });
  byId('csv-cancel').addEventListener('click', () => dialog.close());
  byId('csv-open').addEventListener('click', () => {
    dialog.showModal();
    text.focus();
  });
}
