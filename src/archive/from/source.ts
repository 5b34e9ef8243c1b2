import type { SourceKind } from '../format.ts'
import type { Collector } from './collected.ts'
import type { SourceFiles } from './source-files.ts'

/** A kind of export that can be brought along. `Found` is what recognising it told. */
export interface Source<Found = unknown> {
  kind: SourceKind
  /** Looks at what is in the files, never at what the upload is called; undefined: it is something else. */
  recognise(files: SourceFiles): Promise<Found | undefined>
  /** Hands everything over. Throws BrokenSource. */
  convert(files: SourceFiles, into: Collector, found: Found): Promise<void>
}

/** A source as the list of all has it. */
export const defineSource = <Found>(source: Source<Found>): Source => source as Source
