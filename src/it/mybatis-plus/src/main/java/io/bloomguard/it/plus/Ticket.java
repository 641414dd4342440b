package io.bloomguard.it.plus;

import com.baomidou.mybatisplus.annotation.IdType;
import com.baomidou.mybatisplus.annotation.TableId;
import io.bloomguard.annotation.BloomKey;

/** A ticket, whose number the database draws. */
@BloomKey(filter = "tickets")
public class Ticket {

  @TableId(type = IdType.AUTO)
  private Long number;

  private String title;

  public Ticket() {}

  public Ticket(String title) {
    this.title = title;
  }

  public Long getNumber() {
    return number;
  }

  public void setNumber(Long number) {
    this.number = number;
  }

  public String getTitle() {
    return title;
  }

  public void setTitle(String title) {
    this.title = title;
  }
}
