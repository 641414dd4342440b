create table orders (id bigint primary key, customer varchar(100));
insert into orders values (1, 'Ada');
