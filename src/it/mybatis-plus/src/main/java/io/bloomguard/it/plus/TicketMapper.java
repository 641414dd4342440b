package io.bloomguard.it.plus;

import com.baomidou.mybatisplus.core.mapper.BaseMapper;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;

/** The tickets. */
public interface TicketMapper extends BaseMapper<Ticket> {

  @BloomGuarded(filter = "tickets", key = "#number", caching = Caching.NULLS)
  @Select("select * from ticket where number = #{number}")
  Ticket find(@Param("number") long number);

  /** Rows of another table, of which the filter has no keys. */
  @Insert("insert into note (ticket, text) values (#{ticket}, #{text})")
  int insertNote(@Param("ticket") long ticket, @Param("text") String text);
}
