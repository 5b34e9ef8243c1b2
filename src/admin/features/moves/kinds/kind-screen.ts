import type { ComponentType } from 'react'
import type { Move } from '#shared/contract/moves.ts'
import type { MovePlace } from '../move-place.ts'

export const allSteps = ['uploading', 'planned', 'importing', 'imported', 'accepted'] as const

type Screen = ComponentType<{ p: string; move: Move }>

/** The parts of a migration's page that depend on its kind. */
export interface KindScreen {
  steps: readonly (typeof allSteps)[number][]
  /** Returns title and back link of the page. */
  useHeading(p: string, move: Move): { title: string; back: { to: string; label: string } }
  /** Shown when the import can be started. */
  Planned: Screen
  /** Shown after the import. */
  Done: Screen
  /** Returns texts about the running job. */
  useWorking(state: 'checking' | 'importing' | 'undoing'): { title: string; text: string }
  /**
   * Whether a stopped import can be undone completely. Otherwise only its record can be deleted, and the imported data
   * stays.
   */
  canUndo: boolean
  useForgetting(move: Move): { title: string; message: string; action: string }
  /** Returns the page to open after the migration's record was deleted. */
  listOf(place: MovePlace, move: Move): string
}
