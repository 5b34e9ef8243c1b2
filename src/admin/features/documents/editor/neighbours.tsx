import { ActionIcon, Tooltip } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { hasNeighbours, neighbourOf, readSeenList } from '../list/seen-list.ts'
import classes from './editor.module.css'
import { useEditor } from './editor-context.ts'

/** Links to the previous and next document, in the order of the list that the user came from. */
export function Neighbours({ id }: { id: string }) {
  const t = useTranslations('documents.editor')
  const { place } = useEditor()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const has = hasNeighbours(readSeenList(place), id)
  if (!has.previous && !has.next) return null

  async function go(direction: 'previous' | 'next') {
    setBusy(true)
    try {
      const next = await neighbourOf(place, id, direction)
      if (next !== undefined) await navigate({ to: '/$p/$a/$m/$id', params: { ...place, id: next } })
    } catch (error) {
      toast.error(errorText(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className={classes.neighbours}>
      {(['previous', 'next'] as const).map((direction) => (
        <Tooltip key={direction} label={t(direction)}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t(direction)}
            disabled={busy || !has[direction]}
            onClick={() => void go(direction)}
          >
            {direction === 'previous' ? <IconChevronUp size={18} /> : <IconChevronDown size={18} />}
          </ActionIcon>
        </Tooltip>
      ))}
    </div>
  )
}
