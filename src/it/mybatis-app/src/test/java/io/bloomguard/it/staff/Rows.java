package io.bloomguard.it.staff;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** What the tables should hold, and which keys a transaction has touched. */
final class Rows {

  /** The lookups of one key. */
  enum Kind {
    ACCOUNT,
    NAME,
    DEPARTMENT,
    NOTICE
  }

  record Key(Kind kind, Object value) {}

  record AccountRow(String name, String mail, String department) {}

  final Map<Long, AccountRow> accounts = new LinkedHashMap<>();
  final Map<String, String> departments = new LinkedHashMap<>();
  final Map<Long, String> notices = new LinkedHashMap<>();
  final Set<Key> touched = new LinkedHashSet<>();

  Rows copy() {
    Rows copy = new Rows();
    copy.include(this);
    return copy;
  }

  /** Takes over the rows of another. */
  void include(Rows other) {
    accounts.putAll(other.accounts);
    departments.putAll(other.departments);
    notices.putAll(other.notices);
  }

  void account(Account account) {
    account(
        account.getId(),
        new AccountRow(account.getUserName(), account.getMail(), account.getDepartment()));
  }

  void account(long id, AccountRow row) {
    AccountRow old = accounts.put(id, row);
    touched.add(new Key(Kind.ACCOUNT, id));
    touched.add(new Key(Kind.NAME, row.name()));
    if (old != null) {
      touched.add(new Key(Kind.NAME, old.name()));
    }
  }

  void removeAccount(long id) {
    touched.add(new Key(Kind.ACCOUNT, id));
    touched.add(new Key(Kind.NAME, accounts.remove(id).name()));
  }

  void department(String code, String title) {
    departments.put(code, title);
    touched.add(new Key(Kind.DEPARTMENT, code));
  }

  void removeDepartment(String code) {
    departments.remove(code);
    touched.add(new Key(Kind.DEPARTMENT, code));
  }

  void notice(Notice notice) {
    notices.put(notice.getId(), notice.getText());
    touched.add(new Key(Kind.NOTICE, notice.getId()));
  }

  Stream<Key> keys() {
    return Stream.of(
            accounts.keySet().stream().map(id -> new Key(Kind.ACCOUNT, id)),
            accounts.values().stream().map(row -> new Key(Kind.NAME, row.name())),
            departments.keySet().stream().map(code -> new Key(Kind.DEPARTMENT, code)),
            notices.keySet().stream().map(id -> new Key(Kind.NOTICE, id)))
        .flatMap(keys -> keys);
  }
}
