insert into product (id, name, amount, currency) select x, 'product ' || x, x + 0.99, 'EUR' from system_range(1, 1000);
insert into buyer (code) select 'buyer-' || x from system_range(1, 1000);
insert into voucher (code, amount) select 'gift-' || x, 10 from system_range(1, 1000);
