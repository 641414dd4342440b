package io.bloomguard.it.staff;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The ways to write through MyBatis. Each changes the tables and says so in the rows. */
final class Writes {

  /** Names come from a small stock, so that they are given again. */
  private static final int NAMES = 300;

  /** Rows of a table, from which on none is inserted. */
  private static final int MOST = NAMES / 3;

  /** Rows of a table, up to which none is changed. */
  private static final int FEWEST = 6;

  private static final String BATCH = "insert several accounts by a batch";

  private final AccountMapper accounts;
  private final DepartmentMapper departments;
  private final NoticeMapper notices;
  private final Accounts service;
  private final RandomGenerator random;

  private final Map<String, Consumer<Rows>> newAccounts = new LinkedHashMap<>();
  private final Map<String, Consumer<Rows>> newDepartments = new LinkedHashMap<>();
  private final Map<String, Consumer<Rows>> newNotices = new LinkedHashMap<>();
  private final Map<String, Consumer<Rows>> accountChanges = new LinkedHashMap<>();
  private final Map<String, Consumer<Rows>> departmentChanges = new LinkedHashMap<>();

  /** Names that the transaction has used: freed, they are not given again before it has ended. */
  private final Set<String> used = new HashSet<>();

  Writes(
      AccountMapper accounts,
      DepartmentMapper departments,
      NoticeMapper notices,
      Accounts service,
      RandomGenerator random) {
    this.accounts = accounts;
    this.departments = departments;
    this.notices = notices;
    this.service = service;
    this.random = random;
    inserts();
    changesOfAccounts();
    changesOfDepartments();
  }

  /** A transaction begins, and may not give a name that is in {@code rows} to another. */
  void begin(Rows rows) {
    used.clear();
    rows.accounts.values().forEach(row -> used.add(row.name().toLowerCase(Locale.ROOT)));
    used.addAll(rows.departments.keySet());
  }

  /** What may be done to tables like these. */
  Map<String, Consumer<Rows>> possible(Rows rows) {
    Map<String, Consumer<Rows>> possible = new LinkedHashMap<>();
    add(newAccounts, rows.accounts.size() < MOST, possible);
    add(newDepartments, rows.departments.size() < MOST, possible);
    add(newNotices, rows.notices.size() < MOST, possible);
    add(accountChanges, rows.accounts.size() > FEWEST, possible);
    add(departmentChanges, rows.departments.size() > FEWEST, possible);
    if (TransactionSynchronizationManager.isActualTransactionActive()) {
      possible.remove(BATCH); // MyBatis has one executor for a transaction
    }
    return possible;
  }

  private static void add(
      Map<String, Consumer<Rows>> ways, boolean are, Map<String, Consumer<Rows>> possible) {
    if (are) {
      possible.putAll(ways);
    }
  }

  private void inserts() {
    newAccounts.put(
        "insert an account",
        rows -> {
          Account account = newAccount();
          accounts.insert(account);
          rows.account(account);
        });
    newAccounts.put(
        "insert several accounts by one statement",
        rows -> {
          List<Account> list = List.of(newAccount(), newAccount(), newAccount());
          List<Long> ids = accounts.insertAll(list);
          for (int i = 0; i < list.size(); i++) {
            list.get(i).setId(ids.get(i));
            rows.account(list.get(i));
          }
        });
    newAccounts.put(
        BATCH,
        rows -> {
          List<Account> list = List.of(newAccount(), newAccount());
          service.importAll(list);
          list.forEach(rows::account);
        });
    newAccounts.put(
        "open an account",
        rows -> rows.account(service.open(name("user"), "opened@example.org", "HR")));
    newDepartments.put(
        "insert a department",
        rows -> {
          String code = name("D");
          departments.insert(new Department(code, "new"));
          rows.department(code, "new");
        });
    newDepartments.put(
        "save a new department",
        rows -> {
          String code = name("D");
          departments.save(new Department(code, "saved"));
          rows.department(code, "saved");
        });
    newNotices.put(
        "insert a notice",
        rows -> {
          Notice notice = new Notice("admin", "text " + random.nextInt(1000));
          notices.insert(notice);
          rows.notice(notice);
        });
  }

  private void changesOfAccounts() {
    accountChanges.put(
        "update an account",
        rows -> {
          Account account = any(rows);
          account.setMail("mail" + random.nextInt(1000));
          accounts.update(account);
          rows.account(account);
        });
    accountChanges.put(
        "change the mail of an account",
        rows -> {
          Account account = any(rows);
          account.setMail("mail" + random.nextInt(1000));
          service.changeMail(account.getId(), account.getMail());
          rows.account(account);
        });
    accountChanges.put(
        "rename an account",
        rows -> {
          Account account = any(rows);
          String to = name("user");
          accounts.rename(account, to);
          account.setUserName(to);
          rows.account(account);
        });
    accountChanges.put(
        "write the name of an account in other letters",
        rows -> {
          Account account = any(rows);
          String to = spelt(account.getUserName());
          accounts.rename(account, to);
          account.setUserName(to);
          rows.account(account);
        });
    accountChanges.put(
        "move a department",
        rows -> {
          accounts.move("HR", "IT");
          Map.copyOf(rows.accounts)
              .forEach(
                  (id, row) -> {
                    if (row.department().equals("HR")) {
                      rows.account(id, new Rows.AccountRow(row.name(), row.mail(), "IT"));
                    }
                  });
        });
    accountChanges.put(
        "delete an account",
        rows -> {
          Account account = any(rows);
          accounts.delete(account);
          rows.removeAccount(account.getId());
        });
    accountChanges.put(
        "delete several accounts",
        rows -> {
          Map<Long, Account> some = new LinkedHashMap<>();
          Stream.generate(() -> any(rows)).limit(3).forEach(one -> some.put(one.getId(), one));
          accounts.deleteAll(List.copyOf(some.values()));
          some.keySet().forEach(rows::removeAccount);
        });
    accountChanges.put(
        "close an account",
        rows -> {
          Account account = any(rows);
          service.close(spelt(account.getUserName()));
          rows.removeAccount(account.getId());
        });
    accountChanges.put(
        "give a name to another",
        rows -> {
          Account account = any(rows);
          accounts.delete(account);
          rows.removeAccount(account.getId());
          Account heir = new Account(spelt(account.getUserName()), "heir@example.org", "IT");
          accounts.insert(heir);
          rows.account(heir);
        });
  }

  private void changesOfDepartments() {
    departmentChanges.put(
        "update a department",
        rows -> {
          String code = one(rows.departments.keySet());
          departments.update(new Department(code, "updated"));
          rows.department(code, "updated");
        });
    departmentChanges.put(
        "save over a department",
        rows -> {
          String code = one(rows.departments.keySet());
          departments.save(new Department(code, "saved over"));
          rows.department(code, "saved over");
        });
    departmentChanges.put(
        "delete a department",
        rows -> {
          String code = one(rows.departments.keySet());
          departments.delete(code);
          rows.removeDepartment(code);
        });
  }

  /** The name as somebody else would write it. */
  String spelt(String name) {
    return random.nextBoolean() ? name.toUpperCase(Locale.ROOT) : name.toLowerCase(Locale.ROOT);
  }

  private Account newAccount() {
    return new Account(name("user"), "guest@example.org", random.nextBoolean() ? "HR" : "IT");
  }

  private Account any(Rows rows) {
    long id = one(rows.accounts.keySet());
    Rows.AccountRow row = rows.accounts.get(id);
    Account account = new Account(row.name(), row.mail(), row.department());
    account.setId(id);
    return account;
  }

  private String name(String kind) {
    while (true) {
      String name = kind + "-" + random.nextInt(NAMES);
      if (used.add(name)) {
        return name;
      }
    }
  }

  private <T> T one(Set<T> of) {
    return new ArrayList<>(of).get(random.nextInt(of.size()));
  }
}
