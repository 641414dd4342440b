"""Inserts a product, whose key enters the filter before its row becomes visible: python3 insert.py "Blue lamp"

DATABASE is a URL of PostgreSQL, BLOOMGUARD_URL the server's address, BLOOMGUARD_AUTHORIZATION the header for it.
"""

import json
import os
import sys
from urllib.request import Request, urlopen

import psycopg2


# tag::insert[]
def insert(database, name):
    with database:  # commits, and rolls back if anything below raises
        with database.cursor() as cursor:
            cursor.execute('insert into products (name) values (%s) returning id', [name])
            add('products', cursor.fetchone()[0])


def add(filter, id):
    """Raises, if the filter may lack the key."""
    address = f'{os.environ["BLOOMGUARD_URL"]}/v1/filters/{filter}/keys'
    headers = {'Content-Type': 'application/json', 'Authorization': os.environ.get('BLOOMGUARD_AUTHORIZATION', '')}
    urlopen(Request(address, json.dumps({'keys': [id]}).encode(), headers), timeout=5).close()
# end::insert[]


insert(psycopg2.connect(os.environ['DATABASE']), sys.argv[1])
