// The size of a filter, and the effect of overfilling it.
import {call} from './calls.js';
import {chart, sample} from './charts.js';
import {byId, bytes, count, element, onSubmit, percent, rounded, row, setText, showError} from './page.js';
/* global uPlot */

const LEAST = 1e-8;
const STEPS_TO_FULL = 10;
const SHOWN = [10, 15, 20, 30, 40];
const NAMES = ['live', 'calculated'];

/** Fills the calculator from a filter, and calculates. */
export class Sizing {
  #chart;
  #live;
  #calculated;

  constructor() {
    onSubmit(byId('sizing'), byId('sizing-error'), (form) => this.#calculate(form));
  }

  /** Begins with the present values of a filter. */
  async show(filter) {
    try {
      this.#live = await call(`data/${encodeURIComponent(filter)}/sizing`);
      this.#calculated = undefined;
    } catch (error) {
      showError(byId('sizing-error'), error);
      return;
    }
    const {curve, elements} = this.#live;
    const form = byId('sizing');
    form.elements.insertions.value = curve.expectedInsertions;
    form.elements.fpp.value = curve.falsePositiveProbability;
    byId('sizes').hidden = true;
    showError(byId('sizing-error'), null);
    setText(
      byId('curve-note'),
      `${filter} holds about ${count(elements)} keys now and passes ${percent(curve.falsePositiveProbability)} `
        + `of absent ones beyond ${count(curve.capacity)}.`,
    );
    byId('curve-table').replaceChildren(
      ...SHOWN.map((steps) => row(
        count(curve.insertions[steps - 1]),
        `${rounded(steps / STEPS_TO_FULL)} times`,
        percent(curve.probabilities[steps - 1]),
      )),
    );
    this.#draw(filter);
  }

  async #calculate(form) {
    const query = new URLSearchParams({insertions: form.get('insertions'), fpp: form.get('fpp')});
    const sizes = await call(`data/sizing?${query}`);
    byId('sizes-table').replaceChildren(
      ...sizes.map(({layout, curve}) => row(
        curve.blockWords ? `${layout}, ${curve.blockWords * 64} bits` : layout,
        bytes(curve.sizeBytes),
        rounded(curve.bits / curve.expectedInsertions),
        String(curve.hashes),
      )),
    );
    byId('sizes').hidden = false;
    this.#calculated = sizes[0].curve;
    this.#draw('the filter');
  }

  #draw(filter) {
    if (!this.#chart) {
      this.#chart = chart(byId('curve-chart'), NAMES, {
        scales: {
          x: {time: false},
          y: {distr: 3, range: (plot, low, high) => [Math.max(LEAST, low || LEAST), Math.min(1, (high || 1) * 2)]},
        },
        xValues: (plot, splits) => splits.map((keys) => compact(keys)),
        yValues: (plot, splits) => splits.map((p) => (isPower(p) ? percent(p) : '')),
        yGrid: {filter: (plot, splits) => splits.map((p) => (isPower(p) ? p : null))},
      });
      NAMES.forEach((name, index) =>
        byId('curve-legend').append(
          element('li', {}, sample(name, index), name === 'live' ? 'the filter as it is' : 'as calculated'),
        ));
    }
    const {curve} = this.#live;
    const tables = [[curve.insertions, shown(curve)]];
    const other = this.#calculated;
    tables.push(other ? [other.insertions, shown(other)] : [[], []]);
    this.#chart.setData(uPlot.join(tables));
    byId('curve-chart').setAttribute(
      'aria-label',
      `False positives of ${filter}: ${SHOWN.map((steps) =>
        `${percent(curve.probabilities[steps - 1])} with ${count(curve.insertions[steps - 1])} keys`).join(', ')}`,
    );
  }
}

const shown = (curve) => curve.probabilities.map((p) => (p < LEAST ? null : p));

const compact = (value) => new Intl.NumberFormat('en', {notation: 'compact'}).format(value);

const isPower = (p) => p !== null && Math.abs(Math.log10(p) - Math.round(Math.log10(p))) < 1e-6;
