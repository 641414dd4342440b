create table if not exists app_user (
  id bigint primary key,
  name varchar(100) not null,
  deleted int not null default 0
);
create table if not exists ticket (
  number bigint auto_increment primary key,
  title varchar(100) not null
);
create table if not exists note (
  ticket bigint not null,
  text varchar(100) not null
);
create table if not exists document (
  tenant_id bigint not null,
  id bigint not null,
  title varchar(100) not null,
  primary key (tenant_id, id)
);
