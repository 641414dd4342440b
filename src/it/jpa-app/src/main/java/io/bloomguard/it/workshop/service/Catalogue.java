package io.bloomguard.it.workshop.service;

import io.bloomguard.it.workshop.data.PartPrice;
import io.bloomguard.it.workshop.data.PartRepository;
import io.bloomguard.it.workshop.data.StockRepository;
import io.bloomguard.it.workshop.data.SupplierRepository;
import io.bloomguard.it.workshop.model.Part;
import io.bloomguard.it.workshop.model.Stock;
import io.bloomguard.it.workshop.model.StockId;
import io.bloomguard.it.workshop.model.Supplier;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The parts and their suppliers. Without a transaction of its own: each repository has one. */
@Service
public class Catalogue {

  private final PartRepository parts;
  private final SupplierRepository suppliers;
  private final StockRepository stock;

  public Catalogue(PartRepository parts, SupplierRepository suppliers, StockRepository stock) {
    this.parts = parts;
    this.suppliers = suppliers;
    this.stock = stock;
  }

  /** Takes a price list in: parts, and the supplier, which may be new. */
  public int importList(String supplierName, List<Part> list) {
    Supplier supplier =
        suppliers
            .findByName(supplierName)
            .orElseGet(() -> suppliers.saveAndFlush(new Supplier(supplierName)));
    list.forEach(part -> part.setSupplier(supplier));
    return parts.saveAll(list).size();
  }

  public Optional<PartPrice> price(String number) {
    return parts.findPriceByNumber(number);
  }

  public boolean sells(String number) {
    return parts.existsById(number);
  }

  public void store(String depot, String part, int quantity) {
    StockId id = new StockId(depot, part);
    Stock stored = stock.findById(id).orElseGet(() -> new Stock(id, 0));
    stored.setQuantity(stored.getQuantity() + quantity);
    stock.save(stored);
  }

  public void discontinue(List<String> numbers) {
    parts.deleteAllById(numbers);
  }

  /** Finds the supplier or makes it, within one transaction. */
  @Transactional
  public Supplier supplier(String name) {
    return suppliers.findByName(name).orElseGet(() -> suppliers.save(new Supplier(name)));
  }
}
