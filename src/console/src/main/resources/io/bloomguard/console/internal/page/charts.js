// Line charts by uPlot, in the colours of the scheme, as wide as there is room.
/* global uPlot */

const HEIGHT = 260;
const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3], [8, 4], [4, 2], [12, 4], [1, 3], [3, 3]];

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const dash = (index) => DASHES[index % DASHES.length];

/**
 * A chart with a line for each name.
 *
 * @param host the element it is drawn in
 * @param names of the lines; the colour of each is --line-name
 * @param options of uPlot: the scales, the axes' texts, and what is drawn of the grid
 */
export function chart(host, names, {scales, xValues, yValues, yGrid}) {
  const axis = (values, size, grid = {}) => ({
    stroke: () => css('--pico-color'),
    grid: {stroke: () => css('--track'), width: 1, ...grid},
    ticks: {stroke: () => css('--track'), width: 1, ...grid},
    values,
    size,
  });
  const plot = new uPlot(
    {
      width: Math.max(200, host.clientWidth),
      height: HEIGHT,
      legend: {show: false},
      cursor: {show: false},
      scales,
      axes: [{...axis(xValues, 40), space: 90}, axis(yValues, 72, yGrid)],
      series: [
        {},
        ...names.map((name, index) => ({
          label: name,
          stroke: () => css(`--line-${name}`),
          width: 2,
          dash: dash(index),
          spanGaps: true,
          points: {show: false},
        })),
      ],
    },
    [[], ...names.map(() => [])],
    host,
  );
  new ResizeObserver(() => plot.setSize({width: Math.max(200, host.clientWidth), height: HEIGHT}))
    .observe(host);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => plot.redraw(false));
  return plot;
}

/** A short piece of a line, as it is drawn in the chart. */
export function sample(name, index) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const line = document.createElementNS(space, 'line');
  const attributes = {x1: 0, y1: 6, x2: 28, y2: 6, 'stroke-width': 3};
  for (const [key, value] of Object.entries(attributes)) {
    line.setAttribute(key, value);
  }
  line.setAttribute('stroke-dasharray', dash(index).join(' '));
  line.style.stroke = `var(--line-${name})`;
  svg.setAttribute('viewBox', '0 0 28 12');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(line);
  return svg;
}
