import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import type { Move } from '#shared/contract/moves.ts'
import { appsOf } from './kinds/apps-of-move.ts'
import { movesKey } from './moves.queries.ts'

/** A button that undoes a migration after confirmation. */
export function UndoButton({ p, move }: { p: string; move: Move }) {
  const { _id: id } = move
  const t = useTranslations('moves.undo')
  const comma = useTranslations('moves.plan')('comma')
  const queryClient = useQueryClient()
  const undo = () =>
    confirm({
      title: t('title'),
      message: t('text', {
        app: appsOf(move)
          .map(({ name }) => name)
          .join(comma),
      }),
      action: t('action'),
      danger: true,
      run: async () => {
        await api('POST /api/project/{p}/move/{id}/undo', { params: { p, id } })
        await queryClient.invalidateQueries({ queryKey: movesKey(p) })
      },
    })
  return (
    <Button variant="default" onClick={undo}>
      {t('action')}
    </Button>
  )
}
