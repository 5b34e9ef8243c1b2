import { availableParallelism, loadavg } from 'node:os'

/** Time in ms that the work takes on an idle core of 2026. */
const usual = 400

const text = JSON.stringify(
  Array.from({ length: 15_000 }, (_, index) => ({ [`k${index % 100}`]: `${index}`, list: [index] })),
)

/**
 * Returns the factor by which time limits of tests are longer than on an idle machine, from 1 to 10. Prints the
 * measurement with the number of cores and the load.
 */
export function measurePatience() {
  const begun = performance.now()
  for (let count = 0; count < 64; count++) JSON.parse(text)
  const took = performance.now() - begun
  const patience = Math.min(10, Math.max(1, took / usual))
  const machine = `${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}`
  console.log(
    `Work of ${usual} ms took ${took.toFixed(0)} ms (${machine}): limits are ${patience.toFixed(1)} times as long`,
  )
  return patience
}
