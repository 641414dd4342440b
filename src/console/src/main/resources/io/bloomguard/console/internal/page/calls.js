// Calls to the server that served this page, and their errors in words.

const WORDS = {
  400: 'The server does not accept this',
  401: 'You are not signed in',
  403: 'You may not do this',
  404: 'The server does not have this',
  405: 'The server does not allow this: changes are off, see management.endpoint.bloomfilters.access',
  409: 'This cannot be done now',
  429: 'It is too soon for this',
  500: 'The server failed',
  503: 'The server cannot do this now',
};

/** A call that did not succeed. Its message is for people; `status` is that of the answer. */
export class CallError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** The JSON of the server's answer, or null for an empty one. */
export async function call(path, {method = 'GET', body} = {}) {
  const headers = {Accept: 'application/json, application/problem+json;q=0.9, */*;q=0.1'};
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const token = cookie('XSRF-TOKEN');
  if (method !== 'GET' && token) {
    headers['X-XSRF-TOKEN'] = token;
  }
  let response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: 'no-store',
      credentials: 'same-origin',
    });
  } catch {
    throw new CallError('The server cannot be reached (no answer).');
  }
  const answer = await json(response);
  if (!response.ok) {
    throw new CallError(words(response, answer), response.status);
  }
  if (answer === undefined) {
    throw new CallError(`The server's answer is not JSON (${response.status}).`);
  }
  return answer;
}

function cookie(name) {
  const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : '';
}

/** Null for no content, undefined for other content than JSON. */
async function json(response) {
  if (response.status === 204) {
    return null;
  }
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function words(response, answer) {
  const what = WORDS[response.status] ?? 'The server refuses this';
  const detail = answer?.detail ? `: ${answer.detail}` : '';
  const wait = response.headers.get('Retry-After');
  const after = wait ? ` Try again in ${wait} s.` : '';
  return `${what} (${response.status})${detail}.${after}`.replace(/\.\.$/, '.');
}
