insert ignore into department (code, title) values ('IT', 'Machines'), ('HR', 'People');
insert ignore into account (user_name, mail, department) values
  ('admin', 'admin@example.org', 'IT'), ('Berta', 'berta@example.org', 'HR');
insert into notice (author, text) values ('admin', 'Welcome');
