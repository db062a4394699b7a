/**
 * Classes by colour and by shape. The colours are those of M. Okabe and K. Ito, Color Universal Design (2008), made darker or lighter for
 * the page; style.css has them as --c0 to --c7.
 */

export const MOST_CLASSES = 8;

/** Outlines of about equal area around the origin. */
export const MARKS: readonly string[] = [
  'M5.2 0A5.2 5.2 0 1 1-5.2 0A5.2 5.2 0 1 1 5.2 0Z',
  'M-4.6-4.6H4.6V4.6H-4.6Z',
  'M0-6.4L5.9 4.2H-5.9Z',
  'M0-6.6L6.1 0L0 6.6L-6.1 0Z',
  'M0 6.4L5.9-4.2H-5.9Z',
  'M0-6L5.7-1.85L3.5 4.85H-3.5L-5.7-1.85Z',
  'M-2-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z',
  'M0-6.6L1.7-2.3L6.3-2L2.75.9L3.9 5.3L0 2.85L-3.9 5.3L-2.75.9L-6.3-2L-1.7-2.3Z',
];

export const LETTERS: readonly string[] = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
