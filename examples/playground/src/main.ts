/** Starts the page. */
import { EllipsoidsMode } from './ellipsoids/mode.js';
import { startCsvDialog } from './points/csv-dialog.js';
import { PointsMode } from './points/mode.js';
import { startTabs } from './tabs.js';
import { startTheme } from './theme.js';

const points = new PointsMode();
const ellipsoids = new EllipsoidsMode();
startTabs(['points', 'ellipsoids'], (tab) => {
  points.isActive = tab === 0;
  ellipsoids.isActive = tab === 1;
});
startCsvDialog((scene) => points.replace(scene));
startTheme(() => {
  points.redraw();
  ellipsoids.redraw();
});
