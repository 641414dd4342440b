create table article (number bigint primary key, name varchar(100));
insert into article values (7, 'Brush');
