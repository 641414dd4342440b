create table products (
  id bigint primary key,
  name varchar(200) not null,
  price decimal(10, 2) not null
);

insert into products (id, name, price)
select
  x,
  array_get(array['Folding', 'Compact', 'Classic', 'Sturdy', 'Light', 'Small', 'Large', 'Slim'],
            cast(mod(x, 8) + 1 as integer))
    || ' ' ||
  array_get(array['oak', 'steel', 'linen', 'glass', 'cork', 'walnut', 'brass', 'wool', 'bamboo'],
            cast(mod(x, 9) + 1 as integer))
    || ' ' ||
  array_get(array['desk', 'lamp', 'chair', 'shelf', 'kettle', 'basket', 'mirror', 'stool', 'tray',
                  'clock', 'vase'],
            cast(mod(x, 11) + 1 as integer))
    || ' No. ' || x,
  cast(4.99 + mod(x * 7919, 49600) / 100.0 as decimal(10, 2))
from system_range(1, 100000);

create sequence product_ids start with 100001;
