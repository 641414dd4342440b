package io.bloomguard.it.staff;

import java.util.List;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/** The accounts. An insert of one sets the id on its parameter and returns a count. */
@Mapper
public interface AccountMapper {

  @Select("select * from account where id = #{id}")
  Account findById(long id);

  @Select("select * from account where user_name = #{userName}")
  Account findByUserName(String userName);

  @Select("select count(*) from account where user_name = #{userName}")
  int countByUserName(String userName);

  /** In XML. */
  List<Account> findByIds(List<Long> ids);

  @Select("select * from account where department = #{department} order by id")
  List<Account> findByDepartment(String department);

  @Insert(
      "insert into account (user_name, mail, department) values (#{userName}, #{mail},"
          + " #{department})")
  @Options(useGeneratedKeys = true, keyProperty = "id")
  int insert(Account account);

  /** One statement for all, which answers their ids; in XML. */
  List<Long> insertAll(List<Account> accounts);

  @Update("update account set mail = #{mail}, department = #{department} where id = #{id}")
  int update(Account account);

  @Update("update account set user_name = #{to} where user_name = #{from}")
  int rename(@Param("from") String from, @Param("to") String to);

  @Update("update account set department = #{to} where department = #{from}")
  int move(@Param("from") String from, @Param("to") String to);

  @Delete("delete from account where id = #{id}")
  int deleteById(long id);

  /** In XML. */
  int deleteByIds(List<Long> ids);
}
