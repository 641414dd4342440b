package io.bloomguard.it.staff;

/** A row under a code that people give. */
public class Department {

  private String code;
  private String title;

  public Department() {}

  public Department(String code, String title) {
    this.code = code;
    this.title = title;
  }

  public String getCode() {
    return code;
  }

  public void setCode(String code) {
    this.code = code;
  }

  public String getTitle() {
    return title;
  }

  public void setTitle(String title) {
    this.title = title;
  }
}
