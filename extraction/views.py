"""Extract: what was learned, and what failed?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from extraction import jobs
from extraction.models import ExtractJob
from extraction.overview import job_rows, look_over_extraction

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

PAGE_ROWS = 25


def extract(request: HttpRequest) -> HttpResponse:
    status = request.GET.get("status", "")
    status = status if status in ExtractJob.Status.values else ""
    overview = look_over_extraction()
    paginator = Paginator(ExtractJob.objects.matching(status=status), PAGE_ROWS)
    paginator.count = overview.progress.jobs[status] if status else overview.total
    page = paginator.get_page(request.GET.get("page"))
    context = {
        "overview": overview,
        "status": status,
        "page": page,
        "rows": job_rows(page.object_list),
        "found": paginator.count,
        "mode": settings.NOKORI.extract_mode,
    }
    return render(request, "extraction/extract.html", context)


@require_POST
def retry(request: HttpRequest, number: int) -> HttpResponse:
    try:
        job = jobs.retry_one(number, now=timezone.now())
    except (jobs.JobUnknown, jobs.JobNotGivenUp) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("Job %(number)d waits again.") % {"number": job.pk})
    return redirect("extract")


@require_POST
def retry_all(request: HttpRequest) -> HttpResponse:
    count = jobs.retry(ExtractJob.objects.all(), now=timezone.now())
    told = ngettext("%(count)d job waits again.", "%(count)d jobs wait again.", count)
    messages.success(request, told % {"count": count})
    return redirect("extract")
