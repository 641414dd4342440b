create table if not exists department (
  code varchar(20) character set utf8mb4 collate utf8mb4_nopad_bin primary key,
  title varchar(100) character set utf8mb4 collate utf8mb4_nopad_bin not null
);
-- Names to log in with compare without regard to case, as most databases of this kind have it.
create table if not exists account (
  id bigint auto_increment primary key,
  user_name varchar(50) character set ascii collate ascii_general_nopad_ci not null unique,
  mail varchar(100),
  department varchar(20) character set utf8mb4 collate utf8mb4_nopad_bin references department (code)
);
create table if not exists notice (
  id bigint auto_increment primary key,
  author varchar(50) not null,
  text varchar(1000) not null
);
