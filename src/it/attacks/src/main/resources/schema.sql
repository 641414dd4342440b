create table things (id bigint primary key, name varchar(100) not null);
insert into things (id, name) select x, 'thing ' || x from system_range(1, 100000);
