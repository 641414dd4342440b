package io.bloomguard.it.plus;

import com.baomidou.mybatisplus.annotation.TableLogic;
import com.baomidou.mybatisplus.annotation.TableName;
import io.bloomguard.annotation.BloomKey;

/** A user. */
// tag::entity[]
@TableName("app_user")
@BloomKey(filter = "users") // its id
public class User {

  private Long id; // assigned by MyBatis-Plus
  private String name;
  @TableLogic private Integer deleted;

  // constructors, getters and setters
  // end::entity[]

  public User() {}

  public User(String name) {
    this.name = name;
  }

  public Long getId() {
    return id;
  }

  public void setId(Long id) {
    this.id = id;
  }

  public String getName() {
    return name;
  }

  public void setName(String name) {
    this.name = name;
  }

  public Integer getDeleted() {
    return deleted;
  }

  public void setDeleted(Integer deleted) {
    this.deleted = deleted;
  }
  // tag::entity[]
}
// end::entity[]
