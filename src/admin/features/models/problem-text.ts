import { useTranslations } from 'use-intl'
import { fieldIssueText, settingIssueText } from '#admin/fields/issue-text.ts'
import { issueText } from '#admin/lib/errors.ts'
import { uidText } from '#admin/lib/uid.ts'
import type { FieldDraft, ModelDraft } from './draft.ts'
import type { PlacedIssue } from './issues.ts'

/** Returns a function that returns the message for an issue of a model, custom type or field (`of`). */
export function useProblemText(): (issue: PlacedIssue, of: FieldDraft | ModelDraft) => string {
  const t = useTranslations('models.problem')
  return (issue, of) => {
    const { key, property, code } = issue
    const ofField = key !== null
    if (property === 'uid') {
      const isCustomType = !ofField && !('titleField' in of)
      if (code === 'DuplicatedValue')
        return ofField ? t('uidTaken') : t(isCustomType ? 'typeUidTaken' : 'modelUidTaken')
      if (isCustomType) return issueText(issue)
      return uidText(ofField ? 'field' : 'model', of.uid) ?? issueText(issue)
    }
    const text = 'type' in of ? settingIssueText(of.type, issue) : null
    if (text !== null) return text
    if (code === 'InvalidType') return t('number')
    return 'type' in of ? fieldIssueText(of, issue) : issueText(issue)
  }
}
