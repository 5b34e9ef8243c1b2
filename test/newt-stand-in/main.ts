import { largeSpace } from './large-space.ts'
import { sampleSpace } from './sample-space.ts'
import { startStandIn } from './server.ts'

/**
 * Runs the stand-in as a separate process, to try the rescue manually and to measure it: `npx tsx
 * test/newt-stand-in/main.ts [CONTENTS ASSETS]`. Prints one line of JSON with its origin.
 */
const [contents, assets] = process.argv.slice(2).map(Number)
const space = contents === undefined ? sampleSpace() : largeSpace(contents, assets ?? 0)
const standIn = await startStandIn(space, { isStatic: true })
console.log(
  JSON.stringify({
    origin: standIn.origin,
    space: space.uid,
    app: space.app.uid,
    models: [...space.models.keys()],
    tokens: space.tokens,
  }),
)
// Over IPC, the measuring process requests the number of responses per path.
process.on('message', () => process.send?.([...standIn.served]))
process.on('SIGTERM', () => process.exit(0))
process.on('disconnect', () => process.exit(0))
