// Prints what a command has used when it ends, its CPU time in seconds and the most memory in MiB:
//   node --require ./memory.cjs command.cjs …
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.stderr.write(`\nused: ${((userCPUTime + systemCPUTime) / 1e6).toFixed(1)} s, ${Math.round(maxRSS / 1024)} MiB\n`);
});
