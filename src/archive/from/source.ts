import type { SourceKind } from '../format.ts'
import type { Collector } from './collected.ts'
import type { SourceFiles } from './source-files.ts'

/** A supported kind of export. `Found` is the result of detecting it. */
export interface Source<Found = unknown> {
  kind: SourceKind
  /** Detects the kind from the files. undefined: another kind. */
  recognise(files: SourceFiles): Promise<Found | undefined>
  /** Adds all contents to the collector. Throws `BrokenSource`. */
  convert(files: SourceFiles, into: Collector, found: Found): Promise<void>
}

/** Erases the type parameter for the list of all sources. */
export const defineSource = <Found>(source: Source<Found>): Source => source as Source
