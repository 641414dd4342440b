insert into books (id, title) select x, 'Volume ' || x from system_range(1, 1000);
