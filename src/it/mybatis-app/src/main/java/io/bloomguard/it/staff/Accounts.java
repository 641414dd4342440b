package io.bloomguard.it.staff;

import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.When;
import java.util.List;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSessionFactory;
import org.mybatis.spring.SqlSessionTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** What is done with accounts. */
@Service
public class Accounts {

  private final AccountMapper accounts;
  private final DepartmentMapper departments;
  private final SqlSessionFactory sessions;

  public Accounts(
      AccountMapper accounts, DepartmentMapper departments, SqlSessionFactory sessions) {
    this.accounts = accounts;
    this.departments = departments;
    this.sessions = sessions;
  }

  /** Opens an account, or throws an exception if the name is taken. */
  @Transactional
  public Account open(String userName, String mail, String department) {
    if (accounts.countByUserName(userName) > 0) {
      throw new IllegalStateException("The name is taken");
    }
    departments
        .findByCode(department)
        .orElseThrow(() -> new IllegalStateException("There is no such department"));
    Account account = new Account(userName, mail, department);
    accounts.insert(account);
    return account;
  }

  /** Without a transaction of its own. */
  public boolean close(String userName) {
    Account account = accounts.findByUserName(userName);
    return account != null && accounts.delete(account) == 1;
  }

  @Transactional
  public void changeMail(long id, String mail) {
    Account account = accounts.findById(id);
    account.setMail(mail);
    accounts.update(account);
  }

  /** Takes many in by one JDBC batch, after which MyBatis sets their ids. */
  @Transactional
  @BloomPut(filter = "accounts", key = "#list.![id]", when = When.AFTER)
  @BloomPut(filter = "user-names", key = "#list.![userName]")
  public void importAll(List<Account> list) {
    SqlSessionTemplate batch = new SqlSessionTemplate(sessions, ExecutorType.BATCH);
    AccountMapper batched = batch.getMapper(AccountMapper.class);
    list.forEach(batched::insert);
    batch.flushStatements();
  }
}
