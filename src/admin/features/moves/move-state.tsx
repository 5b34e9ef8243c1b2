import {
  IconArrowBackUp,
  IconCircleCheck,
  IconCircleX,
  IconListCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconUpload,
} from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { StateChip } from '#admin/ui/state-chip.tsx'
import type { Move } from '#shared/contract/moves.ts'

const looks = {
  uploading: { color: 'gray', icon: IconUpload },
  checking: { color: 'mizu', icon: IconPlayerPlay },
  refused: { color: 'red', icon: IconCircleX },
  planned: { color: 'mizu', icon: IconListCheck },
  importing: { color: 'mizu', icon: IconPlayerPlay },
  imported: { color: 'mizu', icon: IconCircleCheck },
  accepted: { color: 'mizu', icon: IconCircleCheck },
  undoing: { color: 'mizu', icon: IconPlayerPlay },
  undone: { color: 'gray', icon: IconArrowBackUp },
} as const

/** The state of a migration as a chip. */
export function MoveState({ move: { state, stopped } }: { move: Pick<Move, 'state' | 'stopped'> }) {
  const t = useTranslations('moves.states')
  if (stopped) return <StateChip color="red" icon={IconPlayerPause} text={t('stopped')} />
  return <StateChip {...looks[state]} text={t(state)} />
}
