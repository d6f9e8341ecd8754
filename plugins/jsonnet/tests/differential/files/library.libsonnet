{
  f(x):: x + $.c,
  c:: 1,
  shown: 'shown',
  fails:: error 'in the library',
}
