package io.bloomguard.it.staff;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.When;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Select;

/** The notices. */
@Mapper
public interface NoticeMapper {

  @BloomGuarded(filter = "notices", key = "#id")
  @Select("select * from notice where id = #{id}")
  Notice findById(Long id);

  @BloomPut(filter = "notices", key = "#notice.id", when = When.AFTER)
  @Insert("insert into notice (author, text) values (#{author}, #{text})")
  @Options(useGeneratedKeys = true, keyProperty = "id")
  void insert(Notice notice);
}
