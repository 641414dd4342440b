evaluate(new File(basedir, '../../../src/it/summary.groovy'))
