create table books (
  id bigint primary key,
  title varchar(100) not null
);
