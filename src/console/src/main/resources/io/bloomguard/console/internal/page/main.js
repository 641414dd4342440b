// Brings the parts of the page to life.
import {CallError, call} from './calls.js';
import {explain} from './explain.js';
import {Filters} from './filters.js';
import {byId, element, repeat, setText, showError} from './page.js';
import {Sizing} from './sizing.js';
import {Traffic} from './traffic.js';

const TRAFFIC_WAIT = 5000;

/** The present errors, by their task. */
const troubles = new Map();

function trouble(what, error) {
  if (error) {
    troubles.set(what, error);
  } else {
    troubles.delete(what);
  }
  showError(byId('trouble'), [...troubles.values()][0]);
}

async function start() {
  const contents = await call('data');
  const traffic = new Traffic();
  const sizing = new Sizing();
  const chooser = byId('filter');
  chooser.append(...contents.filters.map((name) => element('option', {value: name}, name)));
  byId('chooser').addEventListener('submit', (event) => event.preventDefault());
  for (const name of contents.panels) {
    panel(name).catch((error) => trouble(`panel ${name}`, error));
  }

  operate(contents.endpoint, () => chooser.value);
  if (contents.filters.length === 0) {
    setText(byId('summary'), 'No filter is configured');
    return;
  }
  traffic.show(chooser.value);
  const updateTraffic = repeat(() => safely('traffic', async () => {
    await traffic.update();
    return TRAFFIC_WAIT;
  }));
  const choose = () => {
    traffic.show(chooser.value);
    updateTraffic();
    sizing.show(chooser.value);
  };
  chooser.addEventListener('change', choose);
  sizing.show(chooser.value);
}

/** Shows a panel of the application, by its own script. */
async function panel(name) {
  const section = element('section', {id: `panel-${name}`});
  byId('main').append(section);
  const {show} = await import(`./panels/${name}.js`);
  await show(section, {
    read: () => call(`data/${name}`),
    act: (body) => call(`data/${name}`, {method: 'POST', body}),
  });
}

/** Shows the parts that need the endpoint. */
function operate(endpoint, chosen) {
  if (endpoint === null) {
    byId('explain-section').hidden = true;
    trouble('start', new CallError('Filters cannot be shown: the endpoint bloomfilters is not exposed,'
        + ' see management.endpoints.web.exposure.include.'));
    return;
  }
  const filters = new Filters(endpoint);
  filters.whenChanged(repeat(() => safely('filters', () => filters.update())));
  explain(endpoint, chosen);
}

/** Shows a failure, and tries again. */
async function safely(what, task) {
  try {
    const wait = await task();
    trouble(what, null);
    return wait;
  } catch (error) {
    trouble(what, error);
    return TRAFFIC_WAIT;
  }
}

start().catch((error) => trouble('start', error));
