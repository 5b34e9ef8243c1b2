import { Group, Text } from '@mantine/core'
import { IconLock, IconTruckDelivery } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { usePersonName } from '#admin/lib/use-person-name.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { Move } from '#shared/contract/moves.ts'
import { appsByKind, appsOf } from './kinds/apps-of-move.ts'
import { useMoveName } from './move-name.ts'
import { isOfSpace } from './move-source.ts'
import { MoveState } from './move-state.tsx'
import classes from './moves.module.css'
import { movesQuery } from './moves.queries.ts'
import { ChooseArchive } from './upload/choose-archive.tsx'
import { CommandSection } from './upload/command-section.tsx'
import { SourcesSection } from './upload/sources-section.tsx'

/** `/{p}/-/moves` */
export function MovesPage() {
  const t = useTranslations('moves')
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  if (!can('app.create'))
    return (
      <Page title={t('title')}>
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      </Page>
    )
  return <Moves p={p} />
}

function Moves({ p }: { p: string }) {
  const t = useTranslations('moves')
  const { data: moves, error, refetch } = useQuery(movesQuery(p))
  const choose = <ChooseArchive p={p} label={t('upload')} />
  return (
    <Page title={t('title')} description={t('text')} actions={moves && moves.length > 0 ? choose : null}>
      {!moves ? (
        error ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : (
          <SkeletonList />
        )
      ) : moves.length === 0 ? (
        <div className={classes.none}>
          <EmptyState
            icon={<IconTruckDelivery size={36} stroke={1.4} aria-hidden="true" />}
            title={t('empty.title')}
            text={t('empty.text')}
            action={choose}
          />
        </div>
      ) : (
        <ul className={classes.list}>
          {moves.map((move) => (
            <MoveItem key={move._id} p={p} move={move} />
          ))}
        </ul>
      )}
      <SourcesSection />
      <CommandSection p={p} />
    </Page>
  )
}

function MoveItem({ p, move }: { p: string; move: Move }) {
  const t = useTranslations('moves')
  const format = useFormatter()
  const date = (time: string) => format.dateTime(new Date(time), { dateStyle: 'medium', timeStyle: 'short' })
  const nameOf = useMoveName()
  const personName = usePersonName()
  const { source } = move
  const from =
    source && isOfSpace(source)
      ? `${source.space} / ${source.app}`
      : source
        ? `${t(`sources.names.${source.kind}`)} / ${move.fileName}`
        : appsOf(move).length > 0
          ? move.fileName
          : null
  const when = { date: date(move.createdAt), by: personName(move.createdBy) ?? '' }
  return (
    <li className={classes.item}>
      <div className={classes.about}>
        <Group gap="xs">
          <Link to="/$p/-/moves/$move" params={{ p, move: move._id }} className={classes.link ?? ''}>
            {nameOf(move)}
          </Link>
          <MoveState move={move} />
          {!appsByKind[move.kind].canBeUpdated && (
            <Text size="sm" span>
              {t('update.of')}
            </Text>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {from === null ? t('when', when) : t('fromAndWhen', { from, ...when })}
        </Text>
      </div>
    </li>
  )
}
