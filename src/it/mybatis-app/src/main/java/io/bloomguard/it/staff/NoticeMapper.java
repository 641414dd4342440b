package io.bloomguard.it.staff;

import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Select;

/** The notices. */
@Mapper
public interface NoticeMapper {

  @Select("select * from notice where id = #{id}")
  Notice findById(Long id);

  @Insert("insert into notice (author, text) values (#{author}, #{text})")
  @Options(useGeneratedKeys = true, keyProperty = "id")
  void insert(Notice notice);
}
