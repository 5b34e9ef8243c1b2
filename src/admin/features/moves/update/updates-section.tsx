import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { Section } from '#admin/ui/section.tsx'
import type { Move } from '#shared/contract/moves.ts'
import { appsByKind } from '../kinds/apps-of-move.ts'
import { MoveState } from '../move-state.tsx'
import classes from '../moves.module.css'
import { movesQuery } from '../moves.queries.ts'
import { ChooseArchive } from '../upload/choose-archive.tsx'

interface Target {
  /** `_id` of the migration, or of its part, that is updated. */
  id: string
  /** The app's name if there are several. null: only one app. */
  name: string | null
}

/** Returns the apps that can be updated, each by its own update: the apps imported from an archive of Newt's API. */
function targetsOf(move: Move): Target[] {
  const { canBeUpdated, isSeveral, apps } = appsByKind[move.kind]
  const fromNewt = canBeUpdated ? apps(move).filter(({ from }) => from === 'newt') : []
  return fromNewt.map(({ _id: id, name }) => ({ id, name: isSeveral ? name : null }))
}

/**
 * Updates that import later changes from Newt. Renders nothing for other sources and for migrations into existing apps.
 */
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

/** Starts an update of one app, or links to the open one. Lists all updates of the app. */
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
