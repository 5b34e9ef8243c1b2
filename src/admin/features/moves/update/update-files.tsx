import { Radio, Stack, Text } from '@mantine/core'
import { ApiError } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { hiddenLabel } from '#admin/ui/hidden-label.ts'
import { Section } from '#admin/ui/section.tsx'
import type { MoveFileCount } from '#shared/contract/move-updates.ts'
import { useUpdateWords } from '../move-place.ts'
import classes from '../moves.module.css'
import { useChoose } from './changed-documents.tsx'

/** Lists files that changed in the source. If files were also replaced here, the user chooses which ones to keep. */
export function ReplacedFiles({ p, id, files }: { p: string; id: string; files: MoveFileCount[] }) {
  const t = useUpdateWords('moves.update.files')
  const choose = useChoose(p, id)
  if (files.length === 0) return null
  return (
    <Section title={t('title')} description={t('text')}>
      <Stack gap="md">
        {files.map(({ kind, takes, count, examples }) => (
          <div key={kind}>
            <Text size="sm">{t(`kinds.${kind}`, { count })}</Text>
            <Names examples={examples} count={count} />
            {kind === 'both' && (
              <Radio.Group
                {...hiddenLabel(t('choose'))}
                value={String(choose.isPending ? choose.variables.files?.takes : takes)}
                onChange={(value) => choose.mutate({ files: { takes: value === 'true' } })}
              >
                <Stack gap="xs" mt="xs">
                  <Radio value="false" label={t('ours')} />
                  <Radio value="true" label={t('theirs')} />
                </Stack>
              </Radio.Group>
            )}
          </div>
        ))}
      </Stack>
    </Section>
  )
}

function Names({ examples, count }: Pick<MoveFileCount, 'examples' | 'count'>) {
  const t = useUpdateWords('moves.update.files')
  const left = count - examples.length
  return (
    <ul className={classes.places}>
      {examples.map(({ _id, fileName }) => (
        <li key={_id}>
          <Text size="sm" c="dimmed">
            {fileName}
          </Text>
        </li>
      ))}
      {left > 0 && (
        <li>
          <Text size="sm" c="dimmed">
            {t('others', { count: left })}
          </Text>
        </li>
      )}
    </ul>
  )
}

/** The result for changed files. */
export function ReplacedFilesResult({ files }: { files: MoveFileCount[] }) {
  const t = useUpdateWords('moves.update.files')
  if (files.length === 0) return null
  return (
    <Section title={t('title')}>
      <Stack gap="md">
        {files.map(({ kind, outcome, problem, count, examples }) => (
          <div key={`${kind} ${outcome} ${problem}`}>
            <Text size="sm">{t(`outcomes.${outcome ?? 'edited'}`, { count })}</Text>
            {problem !== null && (
              <Text size="sm" c="dimmed">
                {errorText(new ApiError(400, { code: problem }))}
              </Text>
            )}
            <Names examples={examples} count={count} />
          </div>
        ))}
      </Stack>
    </Section>
  )
}
