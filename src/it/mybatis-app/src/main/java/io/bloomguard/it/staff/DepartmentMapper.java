package io.bloomguard.it.staff;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import java.util.Optional;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/** The departments. */
@Mapper
public interface DepartmentMapper {

  @BloomGuarded(filter = "departments", key = "#code")
  @Select("select * from department where code = #{code}")
  Optional<Department> findByCode(String code);

  @Select("select exists(select 1 from department where code = #{code})")
  boolean exists(String code);

  @BloomPut(filter = "departments", key = "#department.code")
  @Insert("insert into department (code, title) values (#{code}, #{title})")
  void insert(Department department);

  @BloomPut(filter = "departments", key = "#department.code")
  @Insert(
      "insert into department (code, title) values (#{code}, #{title}) on duplicate key update title"
          + " = values(title)")
  int save(Department department);

  @BloomPut(filter = "departments", key = "#department.code")
  @Update("update department set title = #{title} where code = #{code}")
  boolean update(Department department);

  @BloomEvict(filter = "departments", key = "#code")
  @Delete("delete from department where code = #{code}")
  boolean delete(String code);
}
