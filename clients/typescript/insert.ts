/**
 * Inserts a product, whose key enters the filter before its row becomes visible: node build/insert.js "Blue lamp"
 *
 * DATABASE is a URL of PostgreSQL, BLOOMGUARD_URL the server's address, BLOOMGUARD_AUTHORIZATION the header for it.
 */
import pg from 'pg';
import { Bloomguard } from './src/bloomguard.js';

const environment = process.env;
const database = new pg.Client(environment['DATABASE']);
const guard = new Bloomguard(environment['BLOOMGUARD_URL']!, {
  timeout: 5000,
  authorization: environment['BLOOMGUARD_AUTHORIZATION'] ?? '',
});

// tag::insert[]
async function insert(name: string): Promise<void> {
  await database.query('begin');
  try {
    const { rows } = await database.query('insert into products (name) values ($1) returning id', [name]);
    await guard.add('products', [rows[0].id]);   // throws, if the filter may lack the key
    await database.query('commit');
  } catch (e) {
    await database.query('rollback');
    throw e;
  }
}
// end::insert[]

await database.connect();
try {
  await insert(process.argv[2]!);
} finally {
  await database.end();
}
