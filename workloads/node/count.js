// Keep the CPU busy for a fixed amount of work; see `count` in workloads/app/units.py.
exports.count = function count(loops) {
  let number = 0;
  for (let i = 0; i < loops; i++) number = (number * 5 + 1) & 0xffff;
  return number;
};
