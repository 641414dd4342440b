package io.bloomguard.it.staff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** The tests that the application would have without the guard, run with it in every way. */
@SpringBootTest
@AutoConfigureMockMvc
abstract class StaffSuite {

  private static final AtomicInteger NUMBERS = new AtomicInteger();

  @Autowired MockMvcTester mvc;
  @Autowired TransactionTemplate transaction;
  @Autowired AccountMapper accounts;
  @Autowired DepartmentMapper departments;
  @Autowired NoticeMapper notices;
  @Autowired Accounts service;

  @Test
  void aNameIsFoundHoweverItIsWritten() {
    assertThat(accounts.findByUserName("admin").getMail()).isEqualTo("admin@example.org");
    assertThat(accounts.findByUserName("ADMIN").getMail()).isEqualTo("admin@example.org");
    assertThat(accounts.findByUserName("berta").getUserName()).isEqualTo("Berta");
    assertThat(accounts.countByUserName("BERTA")).isOne();
    assertThat(mvc.get().uri("/accounts/Admin"))
        .hasStatusOk()
        .bodyJson()
        .extractingPath("userName")
        .isEqualTo("admin");
  }

  @Test
  void whatIsNotThereIsNotFound() {
    assertThat(accounts.findById(999999)).isNull();
    assertThat(accounts.findByUserName("nobody")).isNull();
    assertThat(accounts.countByUserName("nobody")).isZero();
    assertThat(accounts.findByIds(List.of(999998L, 999999L))).isEmpty();
    assertThat(departments.findByCode("it")).as("codes are exact").isEmpty();
    assertThat(departments.exists("XX")).isFalse();
    assertThat(notices.findById(999999L)).isNull();
    assertThat(mvc.get().uri("/accounts/nobody")).hasStatus(404);
    assertThat(mvc.delete().uri("/accounts/nobody")).hasStatus(404);
  }

  @Test
  void anAccountIsOpenedReadAndClosedByPrograms() {
    String name = name();
    String uri = "/accounts/" + name;
    assertThat(mvc.get().uri(uri)).hasStatus(404);
    assertThat(open(name, "IT")).hasStatus(201);
    assertThat(mvc.get().uri(uri)).hasStatusOk();
    assertThat(open(name.toUpperCase(Locale.ROOT), "IT")).hasStatus(409);
    assertThat(open(name(), "XX")).hasStatus(409);
    assertThat(mvc.delete().uri(uri.toUpperCase(Locale.ROOT).replace("/ACCOUNTS", "/accounts")))
        .hasStatus(204);
    assertThat(mvc.get().uri(uri)).hasStatus(404);
    assertThat(mvc.delete().uri(uri)).hasStatus(404);
  }

  @Test
  void anInsertSetsTheIdAndReturnsACount() {
    String name = name();
    assertThat(accounts.findByUserName(name)).isNull();
    Account account = new Account(name, "a@example.org", "IT");
    assertThat(accounts.insert(account)).isOne();
    assertThat(accounts.findById(account.getId()).getUserName()).isEqualTo(name);
    assertThat(accounts.findByUserName(name).getId()).isEqualTo(account.getId());
    assertThat(accounts.findByUserName(name.toUpperCase(Locale.ROOT)).getId())
        .isEqualTo(account.getId());
    assertThat(accounts.findByDepartment("IT")).extracting(Account::getUserName).contains(name);
  }

  @Test
  void aStatementInsertsMany() {
    List<Account> three = List.of(account(), account(), account());
    three.forEach(one -> assertThat(accounts.findByUserName(one.getUserName())).isNull());
    List<Long> ids = accounts.insertAll(three);
    assertThat(accounts.findByIds(ids)).hasSize(3);
    for (int i = 0; i < 3; i++) {
      three.get(i).setId(ids.get(i));
      assertFound(three.get(i));
    }
    assertThat(accounts.deleteAll(three)).isEqualTo(3);
    three.forEach(this::assertGone);
  }

  @Test
  void aBatchInsertsMany() {
    List<Account> three = List.of(account(), account(), account());
    three.forEach(one -> assertThat(accounts.countByUserName(one.getUserName())).isZero());
    service.importAll(three);
    three.forEach(this::assertFound);
  }

  @Test
  void aTakenNameIsRefused() {
    Account first = account();
    accounts.insert(first);
    String name = first.getUserName().toUpperCase(Locale.ROOT);
    assertThatThrownBy(() -> accounts.insert(new Account(name, "other@example.org", "IT")))
        .isInstanceOf(DuplicateKeyException.class);
    assertThat(accounts.findByUserName(name).getId()).isEqualTo(first.getId());
    assertThatThrownBy(() -> service.open(name, "other@example.org", "IT"))
        .hasMessage("The name is taken");
  }

  @Test
  void aChangeIsSeen() {
    Account account = account();
    accounts.insert(account);
    assertFound(account);
    service.changeMail(account.getId(), "new@example.org");
    assertThat(accounts.findById(account.getId()).getMail()).isEqualTo("new@example.org");
    assertThat(accounts.findByUserName(account.getUserName()).getMail())
        .isEqualTo("new@example.org");
  }

  @Test
  void aReaderKeepsWhatItWasGiven() {
    Account account = account();
    accounts.insert(account);
    accounts.findById(account.getId()).setMail("changed in memory");
    assertThat(accounts.findById(account.getId()).getMail()).isEqualTo(account.getMail());
  }

  @Test
  void aNewNameIsTheKeyFromThenOn() {
    Account account = account();
    String to = name();
    accounts.insert(account);
    assertThat(accounts.findByUserName(to)).isNull();
    assertFound(account);
    assertThat(accounts.rename(account, to)).isOne();
    assertThat(accounts.findByUserName(to).getId()).isEqualTo(account.getId());
    assertThat(accounts.findByUserName(account.getUserName())).isNull();
    assertThat(accounts.findById(account.getId()).getUserName()).isEqualTo(to);
  }

  @Test
  void allOfADepartmentMove() {
    String from = "D" + number();
    String to = "D" + number();
    departments.insert(new Department(from, "old"));
    departments.insert(new Department(to, "new"));
    Account account = new Account(name(), null, from);
    accounts.insert(account);
    assertThat(accounts.findByDepartment(from)).hasSize(1);
    assertThat(accounts.move(from, to)).isOne();
    assertThat(accounts.findByDepartment(from)).isEmpty();
    assertThat(accounts.findByDepartment(to)).hasSize(1);
  }

  @Test
  void aRollbackLeavesNothing() {
    Account account = account();
    transaction.executeWithoutResult(
        status -> {
          accounts.insert(account);
          assertFound(account);
          status.setRollbackOnly();
        });
    assertGone(account);
    accounts.insert(account);
    assertFound(account);
  }

  @Test
  @Transactional
  void aTestThatIsRolledBackSeesItsOwnRows() {
    Account account = account();
    assertThat(accounts.findByUserName(account.getUserName())).isNull();
    accounts.insert(account);
    assertFound(account);
    accounts.delete(account);
    assertGone(account);
  }

  @Test
  void departmentsComeAndGo() {
    String code = "D" + number();
    assertThat(departments.findByCode(code)).isEmpty();
    assertThat(departments.exists(code)).isFalse();
    departments.insert(new Department(code, "old"));
    assertThat(departments.exists(code)).isTrue();
    assertThat(departments.findByCode(code)).map(Department::getTitle).hasValue("old");
    assertThat(departments.update(new Department(code, "new"))).isTrue();
    assertThat(departments.findByCode(code)).map(Department::getTitle).hasValue("new");
    departments.save(new Department(code, "newer"));
    assertThat(departments.findByCode(code)).map(Department::getTitle).hasValue("newer");
    assertThat(departments.delete(code)).isTrue();
    assertThat(departments.findByCode(code)).isEmpty();
    assertThat(departments.exists(code)).isFalse();
    departments.save(new Department(code, "again"));
    assertThat(departments.exists(code)).isTrue();
  }

  @Test
  void aNoticeIsFoundOnceItIsWritten() {
    Notice notice = new Notice("admin", "Hello");
    notices.insert(notice);
    assertThat(notices.findById(notice.getId()).getText()).isEqualTo("Hello");
  }

  private void assertFound(Account account) {
    assertThat(accounts.findById(account.getId()).getUserName()).isEqualTo(account.getUserName());
    assertThat(accounts.findByUserName(account.getUserName()).getId()).isEqualTo(account.getId());
    assertThat(accounts.countByUserName(account.getUserName())).isOne();
  }

  private void assertGone(Account account) {
    assertThat(accounts.findById(account.getId())).isNull();
    assertThat(accounts.findByUserName(account.getUserName())).isNull();
    assertThat(accounts.countByUserName(account.getUserName())).isZero();
  }

  private MvcTestResult open(String name, String department) {
    return mvc.post()
        .uri("/accounts")
        .contentType(MediaType.APPLICATION_JSON)
        .content("{\"userName\": \"%s\", \"department\": \"%s\"}".formatted(name, department))
        .exchange();
  }

  private static Account account() {
    return new Account(name(), "guest@example.org", "HR");
  }

  private static String name() {
    return "guest" + number();
  }

  private static int number() {
    return NUMBERS.incrementAndGet();
  }
}
