package io.bloomguard.it.staff;

/** A row with two keys: the id that the database draws, and the name to log in with. */
public class Account {

  private Long id;
  private String userName;
  private String mail;
  private String department;

  public Account() {}

  public Account(String userName, String mail, String department) {
    this.userName = userName;
    this.mail = mail;
    this.department = department;
  }

  public Long getId() {
    return id;
  }

  public void setId(Long id) {
    this.id = id;
  }

  public String getUserName() {
    return userName;
  }

  public void setUserName(String userName) {
    this.userName = userName;
  }

  public String getMail() {
    return mail;
  }

  public void setMail(String mail) {
    this.mail = mail;
  }

  public String getDepartment() {
    return department;
  }

  public void setDepartment(String department) {
    this.department = department;
  }
}
