package io.bloomguard.it.staff;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.annotation.When;
import java.util.List;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/**
 * The accounts. An insert of one sets the id on its parameter and returns a count. What is found is
 * changed by those who found it, so no value of theirs is kept.
 */
@Mapper
public interface AccountMapper {

  @BloomGuarded(filter = "accounts", key = "#id", caching = Caching.NULLS)
  @Select("select * from account where id = #{id}")
  Account findById(long id);

  @BloomGuarded(filter = "user-names", key = "#userName", caching = Caching.NULLS)
  @Select("select * from account where user_name = #{userName}")
  Account findByUserName(String userName);

  @Select("select count(*) from account where user_name = #{userName}")
  int countByUserName(String userName);

  /** In XML. */
  @BloomGuarded(filter = "accounts", key = "#ids")
  List<Account> findByIds(List<Long> ids);

  /** A department without an account is none without a row: nothing is kept of it. */
  @BloomGuarded(filter = "departments", key = "#department", caching = Caching.NONE)
  @Select("select * from account where department = #{department} order by id")
  List<Account> findByDepartment(String department);

  @BloomPut(filter = "accounts", key = "#account.id", when = When.AFTER)
  @BloomPut(filter = "user-names", key = "#account.userName")
  @Insert(
      "insert into account (user_name, mail, department) values (#{userName}, #{mail},"
          + " #{department})")
  @Options(useGeneratedKeys = true, keyProperty = "id")
  int insert(Account account);

  /** One statement for all, which answers their ids; in XML. */
  @BloomPut(filter = "accounts", key = "#result")
  @BloomPut(filter = "user-names", key = "#accounts.![userName]")
  List<Long> insertAll(List<Account> accounts);

  @BloomPut(filter = "accounts", key = "#account.id")
  @BloomPut(filter = "user-names", key = "#account.userName")
  @Update("update account set mail = #{mail}, department = #{department} where id = #{id}")
  int update(Account account);

  @BloomPut(filter = "accounts", key = "#account.id")
  @BloomPut(filter = "user-names", key = "#to")
  @BloomEvict(filter = "user-names", key = "#account.userName")
  @Update("update account set user_name = #{to} where id = #{account.id}")
  int rename(@Param("account") Account account, @Param("to") String to);

  /** No account appears or goes, and no value is kept of any. */
  @Update("update account set department = #{to} where department = #{from}")
  int move(@Param("from") String from, @Param("to") String to);

  @BloomEvict(filter = "accounts", key = "#account.id")
  @BloomEvict(filter = "user-names", key = "#account.userName")
  @Delete("delete from account where id = #{id}")
  int delete(Account account);

  /** In XML. */
  @BloomEvict(filter = "accounts", key = "#accounts.![id]")
  @BloomEvict(filter = "user-names", key = "#accounts.![userName]")
  int deleteAll(List<Account> accounts);
}
