package io.bloomguard.it.workshop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.it.workshop.data.BikeRepository;
import io.bloomguard.it.workshop.data.CustomerRepository;
import io.bloomguard.it.workshop.data.MechanicRepository;
import io.bloomguard.it.workshop.data.PartPrice;
import io.bloomguard.it.workshop.data.PartRepository;
import io.bloomguard.it.workshop.data.PaymentRepository;
import io.bloomguard.it.workshop.data.RepairRepository;
import io.bloomguard.it.workshop.data.StockRepository;
import io.bloomguard.it.workshop.data.SupplierRepository;
import io.bloomguard.it.workshop.model.Bike;
import io.bloomguard.it.workshop.model.CardPayment;
import io.bloomguard.it.workshop.model.CashPayment;
import io.bloomguard.it.workshop.model.Customer;
import io.bloomguard.it.workshop.model.Mechanic;
import io.bloomguard.it.workshop.model.Part;
import io.bloomguard.it.workshop.model.Payment;
import io.bloomguard.it.workshop.model.Repair;
import io.bloomguard.it.workshop.model.RepairLine;
import io.bloomguard.it.workshop.model.Stock;
import io.bloomguard.it.workshop.model.StockId;
import io.bloomguard.it.workshop.model.Supplier;
import io.bloomguard.it.workshop.service.Catalogue;
import io.bloomguard.it.workshop.service.Repairs;
import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** The tests that the workshop would have without the guard, run with it in every way. */
@SpringBootTest
@AutoConfigureMockMvc
abstract class WorkshopSuite {

  private static final AtomicInteger NUMBERS = new AtomicInteger();

  @Autowired MockMvcTester mvc;
  @Autowired TransactionTemplate transaction;
  @Autowired EntityManager entities;
  @Autowired CustomerRepository customers;
  @Autowired MechanicRepository mechanics;
  @Autowired BikeRepository bikes;
  @Autowired RepairRepository repairs;
  @Autowired PartRepository parts;
  @Autowired StockRepository stock;
  @Autowired SupplierRepository suppliers;
  @Autowired PaymentRepository payments;
  @Autowired Repairs work;
  @Autowired Catalogue catalogue;

  // Pages of customers.

  @Test
  void aCustomerIsShownWithItsBikes() {
    assertThat(mvc.get().uri("/customers/1"))
        .hasStatusOk()
        .bodyText()
        .contains("Ada Berg", "ada@example.org", "WBK-100 tourer");
  }

  @Test
  void anUnknownCustomerIsNotFound() {
    assertThat(mvc.get().uri("/customers/999999")).hasStatus(404);
    assertThat(mvc.get().uri("/customers/999999/edit")).hasStatus(404);
    assertThat(customers.findById(999999L)).isEmpty();
    assertThat(customers.existsById(999999L)).isFalse();
    assertThat(customers.findByEmail("nobody@example.org")).isEmpty();
    assertThat(customers.existsByEmail("nobody@example.org")).isFalse();
  }

  @Test
  void aCustomerIsMadeByItsForm() {
    String email = email();
    assertThat(customers.findByEmail(email)).isEmpty();
    String page = create("Gil Hart", email, "Ulm");
    assertThat(mvc.get().uri(page)).hasStatusOk().bodyText().contains("Gil Hart", email, "Ulm");
    assertThat(customers.findByEmail(email)).get().extracting(Customer::getCity).isEqualTo("Ulm");
    assertThat(customers.existsByEmail(email)).isTrue();
    assertThat(mvc.get().uri("/customers?name=hart")).bodyText().contains("Gil Hart");
  }

  @Test
  void aFormWithErrorsIsShownAgainAndStoresNothing() {
    String email = email();
    assertThat(post("/customers/new", "name", "", "email", email, "city", "Ulm"))
        .hasStatusOk()
        .bodyText()
        .contains("must not be blank", email);
    assertThat(customers.existsByEmail(email)).isFalse();
    String page = create("Ina Jung", email, "Ulm");
    assertThat(post("/customers/new", "name", "Other", "email", email, "city", "Ulm"))
        .hasStatusOk()
        .bodyText()
        .contains("is taken");
    assertThat(mvc.get().uri(page)).bodyText().contains("Ina Jung");
  }

  @Test
  void aFormChangesTheCustomerThatItLoaded() {
    String email = email();
    String page = create("Kai Lenz", email, "Ulm");
    assertThat(edit(page, "name", "Kai Lenz", "email", email, "city", "Jena"))
        .hasRedirectedUrl(page);
    assertThat(mvc.get().uri(page)).bodyText().contains("Jena").doesNotContain("Ulm");
    assertThat(customers.findById(id(page))).map(Customer::getCity).hasValue("Jena");
  }

  @Test
  void aFailedFormIsSeenByNobodyElse() {
    String email = email();
    String page = create("Lea Mohn", email, "Ulm");
    customers.findById(id(page));
    assertThat(edit(page, "name", "", "email", "no address", "city", "Nowhere"))
        .hasStatusOk()
        .bodyText()
        .contains("must not be blank", "Nowhere");
    assertThat(mvc.get().uri(page)).bodyText().contains("Lea Mohn", "Ulm");
    assertThat(mvc.get().uri(page + "/edit")).bodyText().contains("Ulm").doesNotContain("Nowhere");
    assertThat(customers.findById(id(page))).map(Customer::getCity).hasValue("Ulm");
    assertThat(customers.findByEmail(email)).map(Customer::getName).hasValue("Lea Mohn");
  }

  @Test
  void aChangedAddressIsTheKeyFromThenOn() {
    String before = email();
    String after = email();
    String page = create("Mia Nolde", before, "Ulm");
    assertThat(customers.findByEmail(after)).isEmpty();
    assertThat(customers.findByEmail(before)).isPresent();
    edit(page, "name", "Mia Nolde", "email", after, "city", "Ulm");
    assertThat(customers.findByEmail(after)).map(Customer::getId).hasValue(id(page));
    assertThat(customers.existsByEmail(after)).isTrue();
    assertThat(customers.findByEmail(before)).isEmpty();
    assertThat(customers.existsByEmail(before)).isFalse();
  }

  @Test
  void aFormThatOthersOvertookIsRefused() {
    String email = email();
    String page = create("Nils Otto", email, "Ulm");
    edit(page, "name", "Nils Otto", "email", email, "city", "Jena");
    assertThat(edit(page, "name", "Nils Otto", "email", email, "city", "Gera", "seen", "0"))
        .hasStatusOk()
        .bodyText()
        .contains("Somebody else has changed this customer");
    assertThat(mvc.get().uri(page)).bodyText().contains("Jena");
  }

  // Customers through the repository.

  @Test
  void anEntityOutsideOfATransactionIsNobodyElses() {
    long id = customers.save(new Customer("Ole Pohl", email(), "Ulm")).getId();
    customers.findById(id).orElseThrow().setCity("Nowhere");
    assertThat(customers.findById(id)).map(Customer::getCity).hasValue("Ulm");
  }

  @Test
  void aChangeOfALoadedEntityIsCommitted() {
    long id = customers.save(new Customer("Pia Quast", email(), "Ulm")).getId();
    customers.findById(id);
    transaction.executeWithoutResult(
        status -> customers.findById(id).orElseThrow().setCity("Jena"));
    assertThat(customers.findById(id)).map(Customer::getCity).hasValue("Jena");
    transaction.executeWithoutResult(
        status -> {
          customers.findById(id).orElseThrow().setCity("Gera");
          status.setRollbackOnly();
        });
    assertThat(customers.findById(id)).map(Customer::getCity).hasValue("Jena");
  }

  @Test
  void oneTransactionSeesOneObject() {
    long id = customers.save(new Customer("Rob Senn", email(), "Ulm")).getId();
    transaction.executeWithoutResult(
        status -> {
          Customer one = customers.findById(id).orElseThrow();
          assertThat(customers.findById(id)).containsSame(one);
          assertThat(customers.findByEmail(one.getEmail())).containsSame(one);
          assertThat(entities.contains(one)).isTrue();
        });
  }

  @Test
  void aRowIsFoundWithinTheTransactionThatWroteIt() {
    String email = email();
    transaction.executeWithoutResult(
        status -> {
          assertThat(customers.findByEmail(email)).isEmpty();
          Customer saved = customers.save(new Customer("Siv Thor", email, "Ulm"));
          assertThat(customers.findByEmail(email)).containsSame(saved);
          assertThat(customers.existsByEmail(email)).isTrue();
          assertThat(customers.existsById(saved.getId())).isTrue();
          customers.delete(saved);
          assertThat(customers.findByEmail(email)).isEmpty();
          assertThat(customers.existsByEmail(email)).isFalse();
        });
    assertThat(customers.findByEmail(email)).isEmpty();
  }

  @Test
  void aDetachedCopyIsMerged() {
    String before = email();
    String after = email();
    Customer copy = customers.save(new Customer("Tim Unger", before, "Ulm"));
    customers.findByEmail(after);
    copy.setEmail(after);
    copy.setCity("Jena");
    Customer merged = customers.save(copy);
    assertThat(customers.findByEmail(after)).map(Customer::getCity).hasValue("Jena");
    assertThat(customers.findByEmail(before)).isEmpty();
    assertThat(merged.getVersion()).isEqualTo(1);
    assertThatThrownBy(() -> customers.save(copy))
        .isInstanceOf(OptimisticLockingFailureException.class);
  }

  @Test
  void aRolledBackCustomerWasNeverThere() {
    String email = email();
    Long[] id = new Long[1];
    transaction.executeWithoutResult(
        status -> {
          id[0] = customers.saveAndFlush(new Customer("Uli Voss", email, "Ulm")).getId();
          status.setRollbackOnly();
        });
    assertThat(customers.findById(id[0])).isEmpty();
    assertThat(customers.findByEmail(email)).isEmpty();
    customers.save(new Customer("Uli Voss", email, "Ulm"));
    assertThat(customers.findByEmail(email)).isPresent();
  }

  @Test
  void aTakenAddressIsRefused() {
    String email = email();
    customers.save(new Customer("Vera Wolf", email, "Ulm"));
    assertThatThrownBy(() -> customers.save(new Customer("Xeno Wolf", email, "Ulm")))
        .isInstanceOf(DataIntegrityViolationException.class);
    assertThat(customers.findByEmail(email)).map(Customer::getName).hasValue("Vera Wolf");
  }

  @Test
  void customersAreSavedFoundAndDeletedTogether() {
    List<Customer> saved =
        customers.saveAll(
            List.of(
                new Customer("Yan Zorn", email(), "Ulm"),
                new Customer("Zoe Adler", email(), "Ulm"),
                new Customer("Abe Busch", email(), "Ulm")));
    List<Long> ids = saved.stream().map(Customer::getId).toList();
    assertThat(customers.findAllById(ids)).hasSize(3);
    assertThat(customers.findAllById(List.of(ids.get(0), 999999L))).hasSize(1);
    assertThat(customers.findAllById(List.of(999998L, 999999L))).isEmpty();
    customers.deleteAllById(ids.subList(0, 1));
    customers.deleteAll(List.of(customers.findById(ids.get(1)).orElseThrow()));
    customers.deleteAllByIdInBatch(ids.subList(2, 3));
    assertThat(customers.findAllById(ids)).isEmpty();
    ids.forEach(id -> assertThat(customers.findById(id)).isEmpty());
    ids.forEach(id -> assertThat(customers.existsById(id)).isFalse());
    saved.forEach(old -> assertThat(customers.existsByEmail(old.getEmail())).isFalse());
  }

  @Test
  void aDerivedDeleteRemoves() {
    String email = email();
    long id = customers.save(new Customer("Bo Conrad", email, "Ulm")).getId();
    assertThat(customers.findByEmail(email)).isPresent();
    assertThat(customers.deleteByEmail(email)).isOne();
    assertThat(customers.findByEmail(email)).isEmpty();
    assertThat(customers.findById(id)).isEmpty();
    assertThat(customers.deleteByEmail(email)).isZero();
  }

  @Test
  void aCityIsRenamedByAQuery() {
    String town = "Town " + number();
    long id = customers.save(new Customer("Cora Dorn", email(), town)).getId();
    customers.findById(id);
    assertThat(customers.renameCity(town, town + "-Upon-Sea")).isOne();
    assertThat(customers.findById(id)).map(Customer::getCity).hasValue(town + "-Upon-Sea");
    assertThat(customers.findWithBikesByCity(town + "-Upon-Sea")).hasSize(1);
  }

  @Test
  @Transactional
  void aTestThatIsRolledBackSeesItsOwnRows() {
    String email = email();
    Customer saved = customers.save(new Customer("Dan Engel", email, "Ulm"));
    assertThat(customers.findById(saved.getId())).containsSame(saved);
    assertThat(customers.findByEmail(email)).containsSame(saved);
    saved.setCity("Jena");
    entities.flush();
    entities.clear();
    assertThat(customers.findById(saved.getId())).map(Customer::getCity).hasValue("Jena");
  }

  // Bikes, which come and go with their owners.

  @Test
  void aBikeIsStoredByTheCascadeFromItsOwner() {
    String frame = frame();
    assertThat(bikes.findByFrameNumber(frame)).isEmpty();
    Bike bike = work.bring(1, frame, "racer");
    assertThat(bikes.findByFrameNumber(frame)).map(Bike::getId).hasValue(bike.getId());
    assertThat(bikes.findById(bike.getId())).map(Bike::getModel).hasValue("racer");
    assertThat(bikes.findByOwnerId(1L)).extracting(Bike::getFrameNumber).contains(frame);
    assertThat(mvc.get().uri("/customers/1")).bodyText().contains(frame);
  }

  @Test
  void bikesOfANewCustomerComeWithIt() {
    String one = frame();
    String two = frame();
    Customer customer = new Customer("Edo Frank", email(), "Ulm");
    customer.bring(new Bike(one, "tandem"));
    customer.bring(new Bike(two, "cargo"));
    long id = customers.save(customer).getId();
    assertThat(bikes.findByFrameNumber(one)).isPresent();
    assertThat(bikes.findByFrameNumber(two)).isPresent();
    assertThat(bikes.findByOwnerId(id)).hasSize(2);
    customers.deleteById(id);
    assertThat(bikes.findByFrameNumber(one)).isEmpty();
    assertThat(bikes.findByFrameNumber(two)).isEmpty();
    assertThat(bikes.findByOwnerId(id)).isEmpty();
  }

  @Test
  void aBikeThatIsTakenAwayIsAnOrphan() {
    String frame = frame();
    long id = work.bring(2, frame, "racer").getId();
    assertThat(bikes.findByFrameNumber(frame)).isPresent();
    work.takeAway(frame);
    assertThat(bikes.findByFrameNumber(frame)).isEmpty();
    assertThat(bikes.findById(id)).isEmpty();
    assertThat(bikes.existsById(id)).isFalse();
  }

  @Test
  void aFrameNumberIsCorrected() {
    String wrong = frame();
    String right = frame();
    long id = work.bring(2, wrong, "racer").getId();
    assertThat(bikes.findByFrameNumber(right)).isEmpty();
    work.correctFrameNumber(wrong, right);
    assertThat(bikes.findByFrameNumber(right)).map(Bike::getId).hasValue(id);
    assertThat(bikes.findByFrameNumber(wrong)).isEmpty();
    assertThat(bikes.findById(id)).map(Bike::getFrameNumber).hasValue(right);
  }

  @Test
  void theFirstBikeOfACustomerIsFound() {
    long id = customers.save(new Customer("Fee Gross", email(), "Ulm")).getId();
    assertThat(bikes.findByOwnerId(id)).isEmpty();
    work.bring(id, frame(), "racer");
    assertThat(bikes.findByOwnerId(id)).hasSize(1);
  }

  // Repairs, whose numbers the database draws.

  @Test
  void aRepairIsOpenedByItsForm() {
    MvcTestResult opened =
        post("/repairs/new", "frameNumber", "WBK-100", "text", "the chain is loose");
    assertThat(opened).hasStatus3xxRedirection();
    String page = opened.getResponse().getRedirectedUrl();
    assertThat(mvc.get().uri(page))
        .hasStatusOk()
        .bodyText()
        .contains("the chain is loose", "WBK-100 of Ada Berg", "OPEN");
    assertThat(repairs.findById(id(page))).map(Repair::getState).hasValue(Repair.State.OPEN);
    assertThat(repairs.findByBikeFrameNumberOrderById("WBK-100"))
        .extracting(Repair::getId)
        .contains(id(page));
  }

  @Test
  void aRepairOfNoBikeIsRefused() {
    assertThat(post("/repairs/new", "frameNumber", "", "text", ""))
        .hasStatusOk()
        .bodyText()
        .contains("must not be blank");
    assertThat(post("/repairs/new", "frameNumber", frame(), "text", "odd")).hasStatus(404);
    assertThat(mvc.get().uri("/repairs/999999")).hasStatus(404);
    assertThat(repairs.findWithLinesById(999999L)).isEmpty();
  }

  @Test
  void aRepairTakesPartsAndIsPaid() {
    Part chain = part("chain", 2000);
    catalogue.store("main", chain.getNumber(), 5);
    long id = work.open("WBK-100", "worn").getId();
    work.assign(id, 3);
    work.use(id, chain.getNumber(), 2);
    assertThat(work.due(id)).isEqualTo(4000);
    assertThat(stored("main", chain)).isEqualTo(3);
    assertThatThrownBy(() -> work.use(id, chain.getNumber(), 4))
        .hasMessage("There are not enough of this part");
    assertThat(stored("main", chain)).isEqualTo(3);
    assertThat(mvc.get().uri("/repairs/" + id)).bodyText().contains("2 chain", "4000 cents");

    Payment cash = work.pay(id, 1000, null);
    assertThat(payments.findById(cash.getId())).get().isInstanceOf(CashPayment.class);
    assertThat(repairs.findById(id)).map(Repair::getState).hasValue(Repair.State.OPEN);
    Payment card = work.pay(id, 3000, "4111222233334444");
    assertThat(payments.findById(card.getId()))
        .get()
        .isInstanceOfSatisfying(
            CardPayment.class, paid -> assertThat(paid.getLastDigits()).isEqualTo("4444"));
    assertThat(payments.findByRepairId(id)).hasSize(2);
    assertThat(repairs.findById(id)).map(Repair::getState).hasValue(Repair.State.PAID);
    assertThat(repairs.findByStateOrderById(Repair.State.PAID))
        .extracting(Repair::getId)
        .contains(id);
  }

  @Test
  void aLineThatIsRemovedIsAnOrphan() {
    Part spoke = part("spoke", 90);
    catalogue.store("main", spoke.getNumber(), 10);
    long id = work.open("WBK-100", "bent").getId();
    work.use(id, spoke.getNumber(), 1);
    work.use(id, spoke.getNumber(), 2);
    work.removeLine(id, 0);
    assertThat(repairs.findWithLinesById(id))
        .get()
        .satisfies(
            found ->
                assertThat(found.getLines())
                    .extracting(RepairLine::getQuantity)
                    .containsExactly(2));
  }

  @Test
  void theSecondOfTwoWritersIsRefused() {
    long id = work.open("WBK-100", "creaks").getId();
    Repair one = repairs.findWithLinesById(id).orElseThrow();
    Repair other = repairs.findWithLinesById(id).orElseThrow();
    assertThat(other).isNotSameAs(one);
    one.setComplaint("creaks loudly");
    transaction.executeWithoutResult(status -> entities.merge(one));
    other.setComplaint("creaks softly");
    assertThatThrownBy(
            () -> transaction.executeWithoutResult(status -> repairs.saveAndFlush(other)))
        .isInstanceOf(OptimisticLockingFailureException.class);
    assertThat(repairs.findById(id)).map(Repair::getComplaint).hasValue("creaks loudly");
  }

  @Test
  void aPaymentUnknownIsNone() {
    assertThat(payments.findById(UUID.randomUUID())).isEmpty();
    assertThat(payments.existsById(UUID.randomUUID())).isFalse();
  }

  @Test
  void mechanicsAreNoCustomers() {
    Mechanic mechanic = mechanics.save(new Mechanic("Gus Hahn", email(), "frames"));
    assertThat(mechanics.findById(mechanic.getId())).map(Mechanic::getSkill).hasValue("frames");
    assertThat(mechanics.findBySkill("frames")).hasSize(1);
    assertThat(customers.findById(mechanic.getId())).isEmpty();
    assertThat(customers.existsById(mechanic.getId())).isFalse();
    assertThat(mechanics.findById(1L)).isEmpty();
    mechanics.deleteById(mechanic.getId());
    assertThat(mechanics.findById(mechanic.getId())).isEmpty();
  }

  // Parts, whose numbers their makers give, and what lies in the depots.

  @Test
  void aPartIsPutReadAndDeletedByPrograms() {
    String uri = "/api/parts/P-" + number();
    assertThat(mvc.get().uri(uri)).hasStatus(404);
    assertThat(put(uri, "{\"label\": \"bell\", \"cents\": 700}")).hasStatusOk();
    assertThat(mvc.get().uri(uri)).hasStatusOk().bodyJson().extractingPath("cents").isEqualTo(700);
    assertThat(put(uri, "{\"label\": \"bell\", \"cents\": 800}")).hasStatusOk();
    assertThat(mvc.get().uri(uri)).hasStatusOk().bodyJson().extractingPath("cents").isEqualTo(800);
    assertThat(put(uri, "{\"label\": \"\", \"cents\": -1}")).hasStatus(400);
    assertThat(mvc.get().uri(uri)).bodyJson().extractingPath("label").isEqualTo("bell");
    assertThat(mvc.delete().uri(uri)).hasStatus(204);
    assertThat(mvc.get().uri(uri)).hasStatus(404);
    assertThat(mvc.delete().uri(uri)).hasStatus(404);
  }

  @Test
  void someOfManyPartsAreThere() {
    Part one = part("one", 1);
    Part two = part("two", 2);
    String uri = "/api/parts?number=%s,P-0,%s".formatted(one.getNumber(), two.getNumber());
    assertThat(mvc.get().uri(uri))
        .bodyJson()
        .extractingPath("$[*].label")
        .asArray()
        .containsExactlyInAnyOrder("one", "two");
    assertThat(mvc.get().uri("/api/parts?number=P-0")).bodyText().isEqualTo("[]");
  }

  @Test
  void aPriceListBringsItsSupplier() {
    String name = "Supplier " + number();
    assertThat(suppliers.findByName(name)).isEmpty();
    assertThat(suppliers.existsByName(name)).isFalse();
    List<Part> list =
        List.of(
            new Part("P-" + number(), "pedal", 1200),
            new Part("P-" + number(), "saddle", 3400),
            new Part("P-" + number(), "brake", 2100));
    List<String> numbers = list.stream().map(Part::getNumber).toList();
    numbers.forEach(number -> assertThat(catalogue.price(number)).isEmpty());
    assertThat(catalogue.importList(name, list)).isEqualTo(3);
    assertThat(suppliers.findByName(name)).isPresent();
    assertThat(suppliers.existsByName(name)).isTrue();
    assertThat(parts.findAllById(numbers)).hasSize(3);
    numbers.forEach(number -> assertThat(catalogue.sells(number)).isTrue());
    assertThat(catalogue.price(numbers.get(0)))
        .hasValue(new PartPrice(numbers.get(0), "pedal", 1200));
    catalogue.discontinue(numbers);
    assertThat(parts.findAllById(numbers)).isEmpty();
    numbers.forEach(number -> assertThat(catalogue.price(number)).isEmpty());
    numbers.forEach(number -> assertThat(catalogue.sells(number)).isFalse());
  }

  @Test
  void aSupplierIsFoundOrMade() {
    String name = "Supplier " + number();
    Supplier made = catalogue.supplier(name);
    assertThat(catalogue.supplier(name).getId()).isEqualTo(made.getId());
    made.setName(name + " Ltd");
    suppliers.save(made);
    assertThat(suppliers.findByName(name)).isEmpty();
    assertThat(suppliers.findByName(name + " Ltd")).isPresent();
    assertThat(catalogue.supplier(name).getId()).isNotEqualTo(made.getId());
  }

  @Test
  void aPriceIsRaisedByAQuery() {
    Part part = part("lamp", 1500);
    assertThat(parts.findById(part.getNumber())).map(Part::getCents).hasValue(1500);
    assertThat(parts.raise(part.getNumber(), 100)).isOne();
    assertThat(parts.findById(part.getNumber())).map(Part::getCents).hasValue(1600);
    assertThat(catalogue.price(part.getNumber())).map(PartPrice::cents).hasValue(1600);
  }

  @Test
  void aPartIsScrappedByAStatement() {
    Part part = part("rust", 0);
    assertThat(parts.findById(part.getNumber())).isPresent();
    assertThat(parts.scrap(part.getNumber())).isOne();
    assertThat(parts.findById(part.getNumber())).isEmpty();
    assertThat(parts.existsById(part.getNumber())).isFalse();
  }

  @Test
  void stockIsKnownByDepotAndPart() {
    Part part = part("tube", 500);
    StockId main = new StockId("main", part.getNumber());
    StockId yard = new StockId("yard", part.getNumber());
    assertThat(stock.findById(main)).isEmpty();
    catalogue.store("main", part.getNumber(), 5);
    catalogue.store("main", part.getNumber(), 5);
    assertThat(stock.findById(main)).map(Stock::getQuantity).hasValue(10);
    assertThat(stock.findById(yard)).isEmpty();
    assertThat(stock.existsById(yard)).isFalse();
    stock.save(new Stock(yard, 1));
    assertThat(stock.findById(yard)).map(Stock::getQuantity).hasValue(1);
    assertThat(stock.findByIdDepot("yard")).extracting(Stock::getId).contains(yard);
    stock.deleteById(yard);
    assertThat(stock.findById(yard)).isEmpty();
    assertThat(stock.findById(main)).isPresent();
  }

  /** The page that a posted form led to. */
  private String create(String name, String email, String city) {
    MvcTestResult created =
        post("/customers/new", "name", name, "email", email, "city", city, "phone", "0731123");
    assertThat(created).hasStatus3xxRedirection();
    return created.getResponse().getRedirectedUrl();
  }

  private MvcTestResult edit(String page, String... fields) {
    return post(page + "/edit", fields);
  }

  private MvcTestResult post(String uri, String... fields) {
    MockMvcTester.MockMvcRequestBuilder request = mvc.post().uri(uri);
    for (int i = 0; i < fields.length; i += 2) {
      request.param(fields[i], fields[i + 1]);
    }
    return request.exchange();
  }

  private MvcTestResult put(String uri, String json) {
    return mvc.put().uri(uri).contentType(MediaType.APPLICATION_JSON).content(json).exchange();
  }

  private Part part(String label, int cents) {
    return parts.save(new Part("P-" + number(), label, cents));
  }

  private int stored(String depot, Part part) {
    return stock.findById(new StockId(depot, part.getNumber())).orElseThrow().getQuantity();
  }

  private static long id(String page) {
    return Long.parseLong(page.substring(page.lastIndexOf('/') + 1));
  }

  private static String email() {
    return "guest" + number() + "@example.org";
  }

  private static String frame() {
    return "F-" + number();
  }

  private static int number() {
    return NUMBERS.incrementAndGet();
  }
}
