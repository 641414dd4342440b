// Small things that every part of the page needs. Text goes into the page as text, never as HTML.

const NUMBER = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', {maximumSignificantDigits: 3});
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export const byId = (id) => document.getElementById(id);

export const count = (value) => NUMBER.format(Math.round(value));

export const rounded = (value) => SHORT.format(value);

/** A share of 0 to 1 as a percentage, with few digits and without a false zero. */
export function percent(share) {
  const value = share * 100;
  return `${value > 0 && value < 0.0001 ? value.toExponential(0) : rounded(value)} %`;
}

export function bytes(value) {
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${rounded(value)} ${UNITS[unit]}`;
}

export function micros(value) {
  return value < 1000 ? `${rounded(value)} µs` : `${rounded(value / 1000)} ms`;
}

export function seconds(value) {
  return value < 1 ? 'less than 1 s' : `${count(value)} s`;
}

/** An element with text or children. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** A table's row whose first cell is its heading. */
export function row(heading, ...cells) {
  return element(
    'tr',
    {},
    element('th', {scope: 'row'}, heading),
    ...cells.map((cell) => element('td', {class: 'number'}, cell)),
  );
}

/** Announces a text to screen readers. */
export function announce(text) {
  byId('news').textContent = text;
}

/** Changes the text only if it differs, so that screen readers announce it once. */
export function setText(where, text) {
  if (where.textContent !== text) {
    where.textContent = text;
  }
}

/** Shows an error, or hides its place. */
export function showError(where, error) {
  setText(where, error ? error.message : '');
  where.hidden = !error;
}

/** Lets a form run an action instead of being sent; its button waits meanwhile. */
export function onSubmit(form, errorPlace, action) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button[type="submit"]');
    if (button.getAttribute('aria-busy') === 'true') {
      return;
    }
    button.setAttribute('aria-busy', 'true');
    showError(errorPlace, null);
    try {
      await action(new FormData(form));
    } catch (error) {
      showError(errorPlace, error);
    } finally {
      button.setAttribute('aria-busy', 'false');
    }
  });
}

/** Runs a task repeatedly while the page is visible; the task returns the wait. */
export function repeat(task) {
  let timer;
  let running = false;
  const run = async () => {
    clearTimeout(timer);
    if (running || document.hidden) {
      return;
    }
    running = true;
    let wait = 2000;
    try {
      wait = await task();
    } finally {
      running = false;
      timer = setTimeout(run, wait);
    }
  };
  document.addEventListener('visibilitychange', run);
  run();
  return run;
}
