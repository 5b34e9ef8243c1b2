import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { Section } from '#admin/ui/section.tsx'
import type { Move } from '#shared/contract/moves.ts'
import { ChooseArchive } from './choose-archive.tsx'
import { MoveState } from './move-state.tsx'
import classes from './moves.module.css'
import { movesQuery } from './moves.queries.ts'

interface Target {
  /** The move that an update names. */
  id: string
  /** Which of several apps it is; null: there is one. */
  name: string | null
}

/** What can be updated: apps from Newt, each by its own. */
function targetsOf({ _id, source, apps, updates }: Move): Target[] {
  if (updates !== null) return []
  if (apps.length === 0) return source?.kind === 'newt' ? [{ id: _id, name: null }] : []
  return apps.flatMap(({ _id: id, chosen, kind, name }) => (chosen && kind === 'newt' ? [{ id, name }] : []))
}

/** Newt goes on being written to: what changed there since is brought by an update. Nothing for moves that are not from Newt. */
export function UpdatesSection({ p, move }: { p: string; move: Move }) {
  const t = useTranslations('moves.update')
  const targets = targetsOf(move)
  if (targets.length === 0) return null
  return (
    <Section title={t('title')} description={t('text')}>
      <Stack gap="lg">
        {targets.map((target) => (
          <Updates key={target.id} p={p} target={target} />
        ))}
      </Stack>
    </Section>
  )
}

/** The way into an update of one app, and those that were. */
function Updates({ p, target: { id, name } }: { p: string; target: Target }) {
  const t = useTranslations('moves.update')
  const format = useFormatter()
  const { data: moves } = useQuery(movesQuery(p))
  const updates = moves?.filter(({ updates }) => updates === id) ?? []
  const open = updates.find(({ state }) => state !== 'refused' && state !== 'accepted')
  return (
    <div>
      {name !== null && (
        <Text fw={600} mb={6} className={classes.title ?? ''}>
          {name}
        </Text>
      )}
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
        <ChooseArchive
          p={p}
          updates={id}
          label={t('upload')}
          {...(name === null ? {} : { name: t('uploadOf', { name }) })}
        />
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
    </div>
  )
}
