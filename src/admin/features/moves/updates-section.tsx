import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { Section } from '#admin/ui/section.tsx'
import type { Move } from '#shared/contract/moves.ts'
import { ChooseArchive } from './choose-archive.tsx'
import { MoveState } from './move-state.tsx'
import classes from './moves.module.css'
import { movesQuery } from './moves.queries.ts'

/** Newt goes on being written to: what changed there since is brought by an update. Nothing for moves that are not from Newt. */
export function UpdatesSection({ p, move }: { p: string; move: Move }) {
  const t = useTranslations('moves.update')
  const format = useFormatter()
  const { data: moves } = useQuery(movesQuery(p))
  if (move.source?.kind !== 'newt' || move.updates !== null) return null
  const updates = moves?.filter(({ updates }) => updates === move._id) ?? []
  const open = updates.find(({ state }) => state !== 'refused' && state !== 'accepted')
  return (
    <Section title={t('title')} description={t('text')}>
      {open ? (
        <>
          <Text size="sm" mb="sm">
            {t('openHint')}
          </Text>
          <Button component={Link} {...{ to: `/${p}/-/moves/${open._id}` }}>
            {t('of')}
          </Button>
        </>
      ) : (
        <ChooseArchive p={p} updates={move._id} label={t('upload')} />
      )}
      {updates.length > 0 && (
        <ul className={classes.past} aria-label={t('past')}>
          {updates.map((update) => (
            <li key={update._id}>
              <Link to="/$p/-/moves/$move" params={{ p, move: update._id }} className={classes.link ?? ''}>
                {format.dateTime(new Date(update.createdAt), { dateStyle: 'medium', timeStyle: 'short' })}
              </Link>
              <MoveState move={update} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
