// Makes the pictures of the playground in docs/pictures, by Chromium: light, dark, and on a phone.
//   npm run build && node scripts/playground-pictures.js
// The pictures in the repository were made where the fonts of Debian's fonts-inter are installed, and made smaller by its pngquant, if there.
'use strict';
const { mkdirSync, mkdtempSync, rmSync, statSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { basename, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { chromium } = require('playwright-core');
const { buildPlayground } = require('./build-playground.js');
const { fail, root, run, works } = require('./tools.js');

const FOLDER = join(root, 'docs', 'pictures');
const MOST_BYTES = 80_000;

const DESK = { width: 1120, height: 790 };
const PHONE = { width: 390, height: 844 };

/** Two thirds on the way, where a strip along the plane is not proved yet. */
const onTheWay = (tab) => `(() => {
  const slider = document.getElementById('${tab}-iteration');
  slider.value = String(Math.ceil(0.55 * Number(slider.max)));
  slider.dispatchEvent(new Event('input'));
})()`;

const PICTURES = {
  'playground-points-light': { viewport: DESK, colorScheme: 'light', steps: (view) => view.evaluate(onTheWay('points')) },
  'playground-classes-dark': { viewport: DESK, colorScheme: 'dark', steps: (view) => view.selectOption('#samples', 'three') },
  'playground-ellipsoids-dark': { viewport: DESK, colorScheme: 'dark', steps: (view) => view.click('#tab-ellipsoids') },
  'playground-touching-light': { viewport: DESK, colorScheme: 'light', steps: touch },
  'playground-points-phone': { viewport: PHONE, colorScheme: 'light', steps: (view) => view.evaluate(onTheWay('points')) },
  'playground-ellipsoids-phone': { viewport: PHONE, colorScheme: 'dark', steps: (view) => view.click('#tab-ellipsoids') },
};

/** Drags an ellipsoid between those of the other family. */
async function touch(view) {
  await view.click('#tab-ellipsoids');
  const { x, y } = await view.locator('#ellipsoids-plot .ellipse.selected .centre').boundingBox();
  await view.mouse.move(x + 2, y + 2);
  await view.mouse.down();
  await view.mouse.move(x + 226, y + 56);
  await view.mouse.up();
  await view.mouse.move(0, 0);
}

async function main() {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  const folder = mkdtempSync(join(tmpdir(), 'fista-pictures-'));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const address = pathToFileURL(await buildPlayground(folder)).href;
    mkdirSync(FOLDER, { recursive: true });
    for (const [name, { steps, ...options }] of Object.entries(PICTURES)) {
      const view = await browser.newPage(options);
      await view.goto(address);
      await steps(view);
      await view.waitForTimeout(500); // the curve of several classes is made in turns
      const path = join(FOLDER, `${name}.png`);
      await view.screenshot({ path });
      await view.close();
      if (works('pngquant', '--version')) run('pngquant', ['--force', '--strip', '--speed', '1', '--output', path, '128', path]);
      const { size } = statSync(path);
      if (size > MOST_BYTES) throw new Error(`Expected at most ${MOST_BYTES} bytes of ${basename(path)} but it has ${size}`);
      console.log(`docs/pictures/${name}.png: ${(size / 1000).toFixed(0)} kB`);
    }
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

main().catch((error) => fail(error.message));
