package io.bloomguard.it.staff;

/** A row that its own author writes and nobody changes. */
public class Notice {

  private Long id;
  private String author;
  private String text;

  public Notice() {}

  public Notice(String author, String text) {
    this.author = author;
    this.text = text;
  }

  public Long getId() {
    return id;
  }

  public void setId(Long id) {
    this.id = id;
  }

  public String getAuthor() {
    return author;
  }

  public void setAuthor(String author) {
    this.author = author;
  }

  public String getText() {
    return text;
  }

  public void setText(String text) {
    this.text = text;
  }
}
