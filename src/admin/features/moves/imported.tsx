import { Button, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { Move, MoveReport } from '#shared/contract/moves.ts'
import { Facts } from './facts.tsx'
import { appsByKind, appsOf } from './kinds/apps-of-move.ts'
import classes from './moves.module.css'
import { movesKey } from './moves.queries.ts'
import { UndoButton } from './undo-button.tsx'
import { UpdatesSection } from './update/updates-section.tsx'

/** The result of an import, with links to its apps and further actions. */
export function Imported({ p, move }: { p: string; move: Move }) {
  const t = useTranslations('moves.imported')
  const several = useTranslations('moves.plan.apps')
  const isOpen = move.state === 'imported'
  return (
    <>
      <Section
        title={t(isOpen ? 'title' : 'acceptedTitle')}
        description={t(isOpen ? 'text' : 'acceptedText')}
      >
        <Stack gap="md">
          {move.report && <Counts report={move.report} />}
          <div className={classes.actions}>
            {appsOf(move).map(({ uid, name }, index) => (
              <Button
                key={uid}
                component={Link}
                to={`/${p}/${uid}`}
                variant={index === 0 ? 'filled' : 'default'}
                className={classes.appName ?? ''}
              >
                {appsByKind[move.kind].isSeveral ? several('open', { name }) : t('open')}
              </Button>
            ))}
            <Button component={Link} to={`/${p}/-/moves/${move._id}/site`} variant="default">
              {t('site')}
            </Button>
          </div>
        </Stack>
      </Section>
      {move.report && <ReportProblems problems={move.report.problems} />}
      <UpdatesSection p={p} move={move} />
      {isOpen && <Decide p={p} move={move} />}
    </>
  )
}

/**
 * The numbers of imported documents and media. If the report has `statuses`, also the numbers of published, draft and
 * left-out documents.
 */
export function Counts({ report: { documents, assets, statuses } }: { report: MoveReport }) {
  const t = useTranslations('moves.imported')
  const format = useFormatter()
  return (
    <Facts
      facts={[
        [t('documents'), format.number(documents)],
        ...(statuses
          ? ([
              [t('published'), format.number(statuses.published)],
              [t('drafts'), format.number(statuses.draft)],
            ] as const)
          : []),
        ...(statuses && statuses.leftOut > 0
          ? ([[t('leftOut'), format.number(statuses.leftOut)]] as const)
          : []),
        [t('assets'), format.number(assets)],
      ]}
    />
  )
}

/** Lists the differences between the imported data and the source. */
export function ReportProblems({ problems }: { problems: MoveReport['problems'] }) {
  const t = useTranslations('moves.imported')
  if (problems.length === 0) return null
  return (
    <Section title={t('problemsTitle')} description={t('problemsText')}>
      <ul className={classes.problems}>
        {problems.map(({ code, path, count, examples, params }) => (
          <li key={`${code} ${path} ${params?.reason ?? params?.kind ?? ''}`}>
            <Text size="sm">
              {path && <strong>{path} </strong>}
              {t(`problems.${code}`, { count, kind: params?.kind ?? '' })}
            </Text>
            {params?.reason && (
              <Text size="sm" c="dimmed">
                {errorText(new ApiError(400, { code: params.reason }))}
              </Text>
            )}
            {examples.map((example) => (
              <div key={example}>
                <code>{example}</code>
              </div>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Decide({ p, move }: { p: string; move: Move }) {
  const t = useTranslations('moves.imported')
  const queryClient = useQueryClient()
  const accept = () =>
    confirm({
      title: t('acceptTitle'),
      message: t('acceptText'),
      action: t('accept'),
      run: async () => {
        await api('POST /api/project/{p}/move/{id}/accept', { params: { p, id: move._id } })
        await queryClient.invalidateQueries({ queryKey: movesKey(p) })
      },
    })
  return (
    <Section title={t('decideTitle')} description={t('decideText')}>
      <div className={classes.actions}>
        <Button onClick={accept}>{t('accept')}</Button>
        <UndoButton p={p} move={move} />
      </div>
    </Section>
  )
}
